"""Is this paragraph the caption of a table, a figure or a listing? Shared by all parsers."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from .model import Block

CaptionOf = Literal["table", "figure", "code", "other"]

# Longer than any caption in the development documents; a longer text that starts like one is prose.
LONGEST = 2000

_WORDS: dict[CaptionOf, str] = {
    "table": r"table|tab\.|tbl\.|tabelle|tableau|tabla|tabella|tabela|tabel|таблица|表"
    r"|טבלה|(?:ال)?جدول",
    "figure": r"figure|fig\.|fig|plate|chart|diagram|scheme|graph|illustration|map|photo|image|screenshot"
    r"|abbildung|abb\.|bild|schaubild|diagramm|schéma|graphique|carte|figura|afbeelding|рисунок|рис\.|図|图"
    r"|איור|תרשים|(?:ال)?شكل|شکل|نمودار",
    "code": r"listing|code|source code|snippet|algorithm|program|procedure|quelltext|quellcode|codebeispiel"
    r"|programm|algorithmus|algorithme|extrait|algoritmo|листинг|алгоритм",
    "other": r"example|exhibit|box|equation|video|beispiel|exemple|encadré|ejemplo|esempio|пример|例",
}
_NUMBER = r"(?:[A-Z]{1,2}[.\-‑–]?)?\d{1,4}(?:[.\-‑–]\d{1,4}){0,4}\(?[a-zA-Z]?\)?|[IVXL]{1,7}|[A-Z]"
_PREFIX = r"(?:supplementary|supplemental|extended data|appendix|online|web|ergänzende)[ ]"
_NUMBERED = re.compile(
    rf"(?:{_PREFIX})?(?:"
    + "|".join(rf"(?P<{kind}>{words})" for kind, words in _WORDS.items())
    + rf")(?P<gap>[  ]{{0,2}})(?-i:(?P<number>{_NUMBER}))(?P<after>.?.?)",
    re.IGNORECASE | re.DOTALL,
)
# Pandoc's "Table: words" and its kin, without a number.
_UNNUMBERED = re.compile(
    r"(?:(?P<table>table|tabelle|tableau)|(?P<figure>figure|abbildung)|(?P<code>listing)): ?\S", re.I
)
# "<!-- image -->", as docling writes.
_LEFT_OUT = re.compile(r"<!--\s{0,9}(?:image|picture|figure)\b", re.IGNORECASE)
_SPACES = re.compile(r"[ \t]{2,80}")
_FIRST = re.compile(r"[^\W\d_]+")
_KNOWN = frozenset(_FIRST.findall("|".join((_PREFIX, *_WORDS.values()))))
"""What the first word of a caption can be: most texts begin with another one, which is soon seen."""
_BEGINNINGS = frozenset(word[:2] for word in _KNOWN)
"""Looked at before any pattern."""
_MARKUP = "*_`>#([|~ \t\n\u00a0"


def caption_of(text: str) -> CaptionOf | None:
    """Say what the text is the caption of, or None when it is no caption."""
    if _begins_otherwise(text[:2]) or len(text) > LONGEST:
        return None
    return _label_of(text.lstrip(_MARKUP)[:80])


@lru_cache(maxsize=4096)
def _label_of(start: str) -> CaptionOf | None:
    """Say the same of the first characters without markup; each line of a PDF is asked for several times."""
    first = _FIRST.match(start)
    if first is None or (first[0].isascii() and first[0].lower() not in _KNOWN):
        return None
    start = _SPACES.sub(" ", start.replace("\u00a0", " "))
    match = _UNNUMBERED.match(start)
    if match is None:
        match = _NUMBERED.match(start)
        if match is None or not _ends_like_a_label(match):
            return None
    groups = match.groupdict()
    return next(kind for kind in _WORDS if groups.get(kind) is not None)


@lru_cache(maxsize=4096)
def _begins_otherwise(begin: str) -> bool:
    """Say whether a text that begins so begins with two letters that no caption begins with."""
    return begin.isalpha() and begin.isascii() and begin.lower() not in _BEGINNINGS


def is_label(text: str) -> bool:
    """Say whether the text is a caption's label alone ("TABLE II"), which has its words on the next line."""
    match = None if _begins_otherwise(text[:2]) else _NUMBERED.match(text[:80])
    return match is not None and match["gap"] != "" and not text[match.end("number") :].strip(" .:–—-|")


def is_caption(text: str) -> bool:
    """Say whether the text is a label ("Table 3. Results") and not a sentence ("Table 3 shows")."""
    return caption_of(text) is not None


def _ends_like_a_label(match: re.Match[str]) -> bool:
    """Tell the label "Table 3. Results" and "Table 3 Results" from the sentence "Table 3 shows"."""
    after = match["after"].lstrip("*_`")
    if not match["gap"] and not match[0][0] > "\u3000" and not _may_touch(match):
        return False
    if after == "" or after[0] in ":.|)]–—-\n\t：．、。":
        return True
    # "Example 2-1 Words" is a manual's label; "Example 2.1 Words" begins a text in mathematics.
    if after[0].isspace() and (match["other"] is None or "-" in match["number"]):
        return len(after) > 1 and (after[1].isupper() or after[1] in "–—-:|(\n" or after[1] > "\u3000")
    return False


def _may_touch(match: re.Match[str]) -> bool:
    """Say whether word and number can be a label without a space: "Table3", "fig.3", not "example1"."""
    if match["number"][0].isalpha() or match["other"] is not None:
        return False
    return match[0][0].isupper() or match[0][: match.start("number") - match.start()].endswith(".")


def mark_captions(text: str, blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Turn paragraphs that look like captions into captions beside a table, a figure or code.

    Beside a comment in the place of a picture that an export has left out, the caption is all that is left.
    """
    marked = list(blocks)
    for index, block in enumerate(blocks):
        if block.kind != "paragraph" or block.end - block.start > LONGEST:
            continue
        beside = (*blocks[max(0, index - 1) : index], *blocks[index + 1 : index + 2])
        named = caption_of(text[block.start : block.end])
        if named and any(other.kind in ("table", "figure", "code") for other in beside):
            marked[index] = replace(block, kind="caption")
        elif named == "figure" and any(_is_left_out(text, other) for other in beside):
            marked[index] = replace(block, kind="caption", found_by=f"{block.found_by.split(':')[0]}:picture")
    return tuple(marked)


def _is_left_out(text: str, block: Block) -> bool:
    return block.kind == "comment" and _LEFT_OUT.match(text, block.start, block.end) is not None
