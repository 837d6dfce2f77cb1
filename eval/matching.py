"""Does a chunk hold an evidence string? Two matchers over normalised text: ``strict`` and ``paper``."""

import re
import unicodedata
from collections.abc import Callable, Sequence, Set
from typing import Literal

Match = Literal["strict", "paper"]
# What a question can be scored by: its evidence by either matcher, or its pages.
Matcher = Literal["strict", "paper", "pages"]

_DASHES = dict.fromkeys(map(ord, "‐‑‒–−﹣－"), "-")
_QUOTES = {ord(c): "'" for c in "‘’‚‛′`´"} | {ord(c): '"' for c in "“”„‟″«»"}
_DROPPED = dict.fromkeys((0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
_TABLE = _DASHES | _QUOTES | _DROPPED
# A hyphen inside a word may be a line's end, and parsers keep, drop or space it: none counts.
_HYPHEN = re.compile(r"(?<=[^\W\d])-\s*(?=[^\W\d])")
_LONG_DASH = re.compile(r"--+|[—―﹘]")
_SPACE = re.compile(r"\s+")
TOKEN = re.compile(r"\w+")


def normalise(text: str) -> str:
    """Fold case, white space, dashes, quotes, ligatures and hyphens: what parsers differ in."""
    text = unicodedata.normalize("NFKC", text).translate(_TABLE)
    text = _HYPHEN.sub("", _LONG_DASH.sub(" - ", text))
    return _SPACE.sub(" ", text).strip().lower()


def strict(evidence: str, chunk: str) -> bool:
    """Whether the normalised evidence is a substring of the normalised chunk."""
    return evidence in chunk


def paper(evidence: str, chunk: str) -> bool:
    """Substring, or at least 80 % of the evidence's tokens present in the chunk (paper 000 section 3.3)."""
    return evidence in chunk or enough(TOKEN.findall(evidence), frozenset(TOKEN.findall(chunk)))


def enough(wanted: Sequence[str], present: Set[str]) -> bool:
    """Whether at least 80 % of the wanted tokens are present; of no tokens, none are."""
    return bool(wanted) and sum(token in present for token in wanted) >= least_tokens(len(wanted))


def least_tokens(wanted: int) -> int:
    """Return how many of so many tokens must be present."""
    # In whole numbers: 0.8 has no exact float, and 0.8 * 35 is more than 28.
    return -(-wanted * 4 // 5)


MATCHERS: dict[Match, Callable[[str, str], bool]] = {"strict": strict, "paper": paper}
