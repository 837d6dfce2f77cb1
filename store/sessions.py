"""onnxruntime sessions: opened one way, with errors that say what to do."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from capsa.chunkers.errors import UnavailableError, UsageError
from capsa.chunkers.onnx_runtime import import_onnxruntime

from .wordpieces import Ids

if TYPE_CHECKING:
    import onnxruntime


def open_session(model: Path | bytes, name: str, optimise: bool = True) -> "onnxruntime.InferenceSession":
    """Load a graph for one thread at a time per call; any number of Python threads may call it at once."""
    onnxruntime = import_onnxruntime()
    source = model if isinstance(model, bytes) else str(model)
    try:
        return onnxruntime.InferenceSession(source, _options(optimise), providers=["CPUExecutionProvider"])
    except _load_errors() as error:
        raise UnavailableError(f"{name} is not an ONNX model that onnxruntime can load: {error}") from error


def run_errors() -> tuple[type[Exception], ...]:
    """Return what onnxruntime raises when a graph does not take the given inputs."""
    return _load_errors()


def _options(optimise: bool) -> Any:
    onnxruntime = import_onnxruntime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.enable_mem_pattern = False
    level = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = level.ORT_ENABLE_ALL if optimise else level.ORT_ENABLE_BASIC
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


def _load_errors() -> tuple[type[Exception], ...]:
    # They share no base class but Exception.
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    names = (
        "Fail",
        "InvalidArgument",
        "InvalidGraph",
        "InvalidProtobuf",
        "NoModel",
        "NoSuchFile",
        "NotImplemented",
        "RuntimeException",
    )
    return tuple(getattr(state, name) for name in names)


def feed(
    session: "onnxruntime.InferenceSession", rows: Sequence[Ids], padding: int
) -> dict[str, npt.NDArray[Any]]:
    """Return the inputs for a batch of id rows: filled up to the longest, with mask and type 0."""
    ids = np.full((len(rows), max(map(len, rows))), padding, dtype=np.int64)
    mask = np.zeros_like(ids)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = row
        mask[place, : len(row)] = 1
    values = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    return {given.name: _typed(values, given) for given in session.get_inputs()}


def _typed(values: dict[str, npt.NDArray[np.int64]], given: Any) -> npt.NDArray[Any]:
    if given.name not in values:
        raise UsageError(f"the model asks for an input {given.name!r}, which capsa does not know")
    return values[given.name].astype(np.int32 if given.type == "tensor(int32)" else np.int64, copy=False)
