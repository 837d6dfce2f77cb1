"""The tensors of the shipped all-MiniLM-L6-v2 file, by what they are for.

The file stores each matrix as int8 with one scale a column (the embedding tables: a row) and multiplies in
float32.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import numpy_helper

Floats = npt.NDArray[np.float32]
LAYERS = 6


@dataclass(frozen=True, slots=True)
class Dense:
    """A matrix product: float32 weight [in, out] and bias [out]."""

    weight: Floats
    bias: Floats


@dataclass(frozen=True, slots=True)
class Norm:
    """A layer normalisation: gain and offset."""

    gain: Floats
    offset: Floats


@dataclass(frozen=True, slots=True)
class Layer:
    """One encoder layer; ``attention_input`` is query, key and value side by side."""

    attention_input: Dense
    attention_output: Dense
    attention_norm: Norm
    inner: Dense
    outer: Dense
    outer_norm: Norm


@dataclass(frozen=True, slots=True)
class Encoder:
    """The whole model; ``positions`` has the vector of token type 0 added to each row."""

    words: npt.NDArray[np.int8]
    word_scales: Floats
    positions: Floats
    norm: Norm
    layers: tuple[Layer, ...]


def read_encoder(data: bytes) -> Encoder:
    """Take the tensors out of the shipped model.onnx."""
    return _Reader(onnx.load_from_string(data).graph).encoder()


class _Reader:
    def __init__(self, graph: onnx.GraphProto) -> None:
        self._tensors = {tensor.name: tensor for tensor in graph.initializer}
        products = {node.output[0]: node.input[1] for node in graph.node if node.op_type == "MatMul"}
        # A matrix has no name of its own: it is known by the bias that is added to its product.
        self._matrices = {
            bias: products[product]
            for node in graph.node
            if node.op_type == "Add"
            for product, bias in [node.input]
            if product in products and bias in self._tensors
        }

    def encoder(self) -> Encoder:
        token_type = self._array("inner.embeddings.token_type_embeddings.weight")[0]
        words = "inner.embeddings.word_embeddings.weight"
        return Encoder(
            words=self._array(f"{words}_q"),
            word_scales=self._array(f"{words}_scale"),
            positions=self._dequantised("inner.embeddings.position_embeddings.weight") + token_type,
            norm=self._norm("inner.embeddings.LayerNorm"),
            layers=tuple(self._layer(f"inner.encoder.layer.{number}") for number in range(LAYERS)),
        )

    def _layer(self, name: str) -> Layer:
        parts = [self._dense(f"{name}.attention.self.{part}") for part in ("query", "key", "value")]
        return Layer(
            attention_input=Dense(
                np.concatenate([part.weight for part in parts], axis=1),
                np.concatenate([part.bias for part in parts]),
            ),
            attention_output=self._dense(f"{name}.attention.output.dense"),
            attention_norm=self._norm(f"{name}.attention.output.LayerNorm"),
            inner=self._dense(f"{name}.intermediate.dense"),
            outer=self._dense(f"{name}.output.dense"),
            outer_norm=self._norm(f"{name}.output.LayerNorm"),
        )

    def _dense(self, name: str) -> Dense:
        bias = f"{name}.bias"
        return Dense(self._dequantised(self._matrices[bias]), self._array(bias))

    def _norm(self, name: str) -> Norm:
        return Norm(self._array(f"{name}.weight"), self._array(f"{name}.bias"))

    def _dequantised(self, name: str) -> Floats:
        values: Floats = self._array(f"{name}_q").astype(np.float32) * self._array(f"{name}_scale")
        return values

    def _array(self, name: str) -> npt.NDArray[Any]:
        return numpy_helper.to_array(self._tensors[name])
