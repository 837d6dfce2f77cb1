"""How a model wants to be asked: from the table of known models, or from the files beside its weights."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from capsa.chunkers.errors import UsageError

Pooling = Literal["mean", "cls", "none"]

# Assumed when neither the table nor the folder says otherwise; every BERT-like encoder reads as much.
DEFAULT_WINDOW = 256


@dataclass(frozen=True, slots=True)
class Settings:
    """What cannot be seen in a model's graph: window (tokens, special ones included), pooling, prefixes.

    ``pooling`` is "none" for a graph that gives the sentence's vector itself. ``dimension`` 0 means: as
    probed.
    """

    window: int = DEFAULT_WINDOW
    pooling: Pooling = "mean"
    query_prefix: str = ""
    passage_prefix: str = ""
    dimension: int = 0


BGE_QUERY = "Represent this sentence for searching relevant passages: "

# Folder name -> settings, from each model's card.
KNOWN: Mapping[str, Settings] = {
    "all-mpnet-base-v2": Settings(384, "mean", dimension=768),
    "bge-small-en-v1.5": Settings(512, "cls", BGE_QUERY, dimension=384),
    "bge-base-en-v1.5": Settings(512, "cls", BGE_QUERY, dimension=768),
    "e5-base-v2": Settings(512, "mean", "query: ", "passage: ", dimension=768),
    "nomic-embed-text-v1.5": Settings(8192, "mean", "search_query: ", "search_document: ", dimension=768),
}

# The files of a sentence-transformers export that say how to use it.
CONFIG_FILES = (
    "config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "1_Pooling/config.json",
)


def read_settings(name: str, folder: Path) -> Settings:
    """Return the known settings for the name, else what the configuration files in the folder say."""
    if name in KNOWN:
        return KNOWN[name]
    bert, sentence, prompts, pooling = (_read(folder / file) for file in CONFIG_FILES)
    named = prompts.get("prompts") or {}
    return Settings(
        window=_window(bert, sentence),
        pooling=_pooling(pooling, folder),
        query_prefix=str(named.get("query") or ""),
        passage_prefix=str(named.get("document") or named.get("passage") or ""),
    )


def _window(bert: dict[str, Any], sentence: dict[str, Any]) -> int:
    window = sentence.get("max_seq_length") or bert.get("max_position_embeddings") or DEFAULT_WINDOW
    if not isinstance(window, int):
        raise UsageError(f"the model's configuration gives a window of {window!r} tokens; pass --window")
    return window


def _pooling(config: dict[str, Any], folder: Path) -> Pooling:
    if config.get("pooling_mode_cls_token"):
        return "cls"
    if config and not config.get("pooling_mode_mean_tokens", True):
        raise UsageError(f"{folder} pools neither by mean nor by its first token, which capsa cannot do")
    return "mean"


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UsageError(f"{path} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise UsageError(f"{path} is not a JSON object")
    return value
