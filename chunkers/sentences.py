"""Sentence boundaries: sentencex finds them, a short rule undoes those after abbreviations."""

import re
from collections.abc import Iterable, Iterator

import sentencex

from .model import Span

# sentencex is quadratic in unclosed quotes, so it is shown a bounded piece at a time; what has no sentence end
# in a whole piece is cut at its lines, else at white space.
PIECE = 4096
# Joining stops here, so that a text of nothing but abbreviations does not become one sentence.
_LONGEST_JOIN = 1500
_LONGEST_TAIL = 40

# Abbreviations that are followed by a number, a numeral or a letter.
_NUMBERED = re.compile(
    r"(?:^|[\s(\[“\"'«/§-])(?:secs?|ss?|arts?|figs?|nos?|nrs?|n[úu]ms?|eqs?|tabs?|ch|chs|chap|paras?|pts?|vols?|pp?|apps?|"
    r"exs?|cls?|regs?|rr?|sch|sched|def|defs|thm|cor|prop|cap|caps|refs?|ver|rev|abb|abs|bd|kap|ziff|rn|rz|anm|tit|l|ll|"
    r"pgs?|fn|col|cols|ed|eds|subsecs?|subs|ord|stat|div|nn?|inc|aufl|jg|hft|std|pkt|[áa]p|p[áa]g|cf|vgl|siehe|approx|ca|"
    r"c|circa|art[íi]culo|fasc|t)\.$",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[(\[§#]?\s?(?:\d|[IVXLCivxlc]{1,6}\b|[A-Za-z]\b(?!'))")
# Abbreviations that never end a sentence, whatever follows.
_OPEN = re.compile(
    r"(?:^|[\s(\[“\"'«])(?:e\.\s?g|i\.\s?e|eg|ie|cf|viz|vs|approx|ca|circa|resp|incl|esp|dr|prof|mr|mrs|ms|mx|messrs|st|hon|"
    r"rev|gen|col|capt|lt|sgt|sen|rep|gov|mme|mlle|mgr|sr|sra|srta|dra|ud|uds|vgl|bzw|z\.\s?b|d\.\s?h|u\.\s?a|o\.\s?ä|"
    r"sog|evtl|ggf|inkl|zzgl|bspw|p\.\s?ex|p\.\s?ej|env|av|hr|fr|jr\.,|nat\.|fig|figs|sec|art)\.$",
    re.IGNORECASE,
)
_INITIAL = re.compile(r"(?:^|[\s(.])(?:M|MM|[A-Z]\.\s?[A-Z]|[A-Z][a-z]+ [A-HJ-Z])\.$")
_LABEL = re.compile(r"^[(\[]?\w{1,3}[.)\]]+\s*$")
_ORDINAL = re.compile(r"(?:^|\s)\d{1,2}\.$")
_MONTH = re.compile(
    r"(?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)\w*\b|jahrhundert|jh\.", re.IGNORECASE
)
_LOWER = re.compile(r"[\"'“«(\[]?[a-zà-öø-ÿа-я]")
_QUOTED = re.compile(r"^(?:と|って|など|という)")
_GLUED = re.compile(r"[。！？][」』”’）]*(?=[0-9A-Za-z])")
_CLOSERS = "\"'”’»)]」』）"
_VISIBLE = re.compile(r"\S")


def split(text: str, language: str = "en") -> list[Span]:
    """Return the sentences of a text: sorted spans that cover every visible character."""
    language = language.split("-")[0].lower() or "en"
    return list(_join(text, _trimmed(text, _boundaries(text, language))))


def _boundaries(text: str, language: str) -> Iterator[Span]:
    """Yield raw sentences, reading in pieces; the last sentence of a piece is read again with the next."""
    start = 0
    while start < len(text):
        piece = text[start : start + PIECE]
        found = [(start + a, start + b) for a, b in _read(piece, language)]
        if start + len(piece) < len(text):
            if len(found) > 1:
                found.pop()
            else:
                found = [(start, start + _fallback(piece))]
        yield from found
        start = found[-1][1]


def _read(piece: str, language: str) -> Iterator[Span]:
    start = 0
    for found in sentencex.get_sentence_boundaries(language, piece):
        end = found["end_index"]
        for glued in _GLUED.finditer(piece, start, end):
            yield start, glued.end()
            start = glued.end()
        if end > start:
            yield start, end
            start = end
    if start < len(piece):
        yield start, len(piece)


def _fallback(piece: str) -> int:
    """Return where to cut a piece without a sentence end: after its last line, else its last word."""
    line = piece.rfind("\n", 1)
    if line > 0:
        return line + 1
    space = max(piece.rfind(" ", 1), piece.rfind("\t", 1), piece.rfind("\u3000", 1))
    return space + 1 if space > 0 else len(piece)


def _trimmed(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    for start, end in spans:
        visible = _VISIBLE.search(text, start, end)
        if visible:
            first = visible.start()
            yield first, first + len(text[first:end].rstrip())


def _join(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    held: Span | None = None
    depth = 0
    for start, end in spans:
        if held and end - held[0] <= _LONGEST_JOIN and _belongs(text, held, (start, end), depth):
            depth += _opened(text, start, end)
            held = held[0], end
            continue
        if held:
            yield held
        held, depth = (start, end), _opened(text, start, end)
    if held:
        yield held


def _opened(text: str, start: int, end: int) -> int:
    return text.count("(", start, end) - text.count(")", start, end)


def _belongs(text: str, left: Span, right: Span, depth: int) -> bool:
    """Tell whether the boundary between two neighbours is not the end of a sentence."""
    if "\n" in text[left[1] : right[0]] and _LABEL.match(text[left[0] : min(left[1], left[0] + 8)]) is None:
        return _continues_line(text, left, right)
    tail = text[max(left[0], left[1] - _LONGEST_TAIL) : left[1]]
    head = text[right[0] : right[0] + 24]
    if _LABEL.match(text[left[0] : left[1]] if left[1] - left[0] < 8 else ""):
        return "\n\n" not in text[left[1] : right[0]]
    if depth > 0 and text.find(")", right[0], right[1]) >= 0 and tail.endswith("."):
        return True
    return _abbreviated(tail, head) or bool(tail[-1] in "」』" and _QUOTED.match(head))


def _continues_line(text: str, left: Span, right: Span) -> bool:
    if "\n\n" in text[left[1] : right[0]]:
        return False
    tail = text[max(left[0], left[1] - _LONGEST_TAIL) : left[1]]
    return _abbreviated(tail, text[right[0] : right[0] + 24])


def _abbreviated(tail: str, head: str) -> bool:
    if not tail.endswith("."):
        return False
    if _NUMBERED.search(tail) and _NUMBER.match(head):
        return True
    if _ORDINAL.search(tail) and _MONTH.match(head):
        return True
    return bool(_OPEN.search(tail) or _INITIAL.search(tail) or _LOWER.match(head))
