"""A model folder that a test builds in milliseconds: a table of word vectors and a tokenizer of ten words."""

import json
from pathlib import Path

import numpy as np
import onnx
import tokenizers
from onnx import TensorProto, helper, numpy_helper
from tokenizers import models, pre_tokenizers, processors

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "word", "a", "short", "text", "long", "query")


def table(dimension: int) -> np.ndarray:
    return np.random.default_rng(7).normal(size=(len(WORDS), dimension)).astype(np.float32)


def write_model(
    folder: Path,
    dimension: int = 16,
    extra_input: str = "attention_mask",
    batch: int | str = "batch",
    pooled: bool = False,
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder)
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["tokens"])]
    if pooled:
        nodes.append(helper.make_node("ReduceMean", ["tokens"], ["vectors"], axes=[1], keepdims=0))
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, [batch, "length"])
        for name in ("input_ids", extra_input)
    ]
    output = helper.make_tensor_value_info("vectors" if pooled else "tokens", TensorProto.FLOAT, None)
    graph = helper.make_graph(
        nodes, "tiny", inputs, [output], [numpy_helper.from_array(table(dimension), "table")]
    )
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
        folder / "model.onnx",
    )
    return folder


def write_tokenizer(folder: Path) -> None:
    tokenizer = tokenizers.Tokenizer(
        models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_truncation(4)
    tokenizer.save(str(folder / "tokenizer.json"))


def write_json(path: Path, **values: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(values), encoding="utf-8")
