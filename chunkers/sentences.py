"""Sentence boundaries: sentencex finds them, a short rule undoes those after abbreviations."""

import re
from collections.abc import Iterable, Iterator

import sentencex

from .model import Span

# sentencex is quadratic in unclosed quotes, so it is shown a bounded piece at a time; what has no sentence
# end in a whole piece is cut at its lines, else at white space.
PIECE = 4096
# Joining stops here, so that a text of nothing but abbreviations does not become one sentence.
_LONGEST_JOIN = 1500
_LONGEST_TAIL = 40

# Abbreviations that a number, a numeral or a letter may follow, and those that never end a sentence.
_NUMBERED_WORDS = (
    "§ §§ abb abs al anm app apps approx art arts aufl bd c ca cap caps cf ch chap circa cl cls col "
    "cols cor def defs div ed eds eq eqs ex exs fasc fig figs fn hft jg kap kl l lem lit ll n nn no nos "
    "nr nrs num nums núm núms ord p para paras pg pgs pkt pos pp prop pt pts pág págs r ref refs reg "
    "regs rev rn rr rz s satz sch sched sec secs ss stat std sub subs subsec t tab tabs thm tit ver vgl "
    "vol vols ziff "
)
_OPEN_WORDS = (
    "approx bspw bzw ca capt cf circa d.h dr dra e.g eg env esp evtl fr gen ggf gov hon hr i.e ie incl "
    "inkl lt m messrs mgr mlle mm mme mr mrs ms mx o.ä p.ej p.ex prof rep resp rev sen sgt sog sr sra "
    "srta u.a ud uds vgl viz vs z.b zzgl "
)
_NUMBERED = frozenset(_NUMBERED_WORDS.split())
_OPEN = frozenset(_OPEN_WORDS.split())
_NUMBER = re.compile(r"[(\[§#]?\s?(?:\d|(?!I\s+[a-z])[IVXLC]{1,6}\b|(?!A\s)[A-Z](?=[\s.,;:)\]]|$)|\w\))")
_LABEL = re.compile(r"^[(\[]?\w{1,3}[.)\]]+\s*$")
_MONTH = re.compile(
    r"(?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)\w*\b|jahrhundert|jh\.", re.IGNORECASE
)
_LOWER = re.compile(r"[\"'“«]?[a-zà-öø-ÿа-я]")
_QUOTED = re.compile(r"と|って|など")
# Ends that sentencex passes over: before a digit after a full-width stop, before a label, after a bracket.
_PASSED_OVER = re.compile(
    r"[。！？][」』”’）]*(?=[0-9A-Za-z])|(?<=[a-z]\.)\s(?=\(\w{1,3}\)\s)|(?<=[.!?]\))\s(?=[A-Z])"
)
# sentencex panics at white space of several bytes; it is shown a plain space in place of each.
_SPACES = {code: " " for code in range(0x80, 0x3001) if chr(code).isspace()}
_OPENERS = "([“\"'«/-"
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
    shown = piece if piece.isascii() else piece.translate(_SPACES)
    for found in sentencex.get_sentence_boundaries(language, shown):
        end = found["end_index"]
        for passed in _PASSED_OVER.finditer(piece, start, end):
            yield start, passed.end()
            start = passed.end()
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
    if left[1] == right[0]:
        last = text[left[1] - 1]
        return last in ".?!" or (last in "」』" and _QUOTED.match(text, right[0]) is not None)
    if "\n" in text[left[1] : right[0]] and _LABEL.match(text[left[0] : min(left[1], left[0] + 8)]) is None:
        return _continues_line(text, left, right)
    tail = text[max(left[0], left[1] - _LONGEST_TAIL) : left[1]]
    head = text[right[0] : right[0] + 24]
    if _LABEL.match(text[left[0] : left[1]] if left[1] - left[0] < 8 else ""):
        return "\n\n" not in text[left[1] : right[0]]
    if depth > 0 and text.find(")", right[0], right[1]) >= 0 and tail.endswith("."):
        return True
    return _abbreviated(tail, head)


def _continues_line(text: str, left: Span, right: Span) -> bool:
    if "\n\n" in text[left[1] : right[0]]:
        return False
    tail = text[max(left[0], left[1] - _LONGEST_TAIL) : left[1]]
    return _abbreviated(tail, text[right[0] : right[0] + 24])


def _abbreviated(tail: str, head: str) -> bool:
    if not tail.endswith("."):
        return False
    words = tail.split()
    word = words[-1].lstrip(_OPENERS)[:-1].lower()
    if word in _OPEN or _LOWER.match(head):
        return True
    if len(words) > 1 and words[-2].lstrip(_OPENERS).lower() + word in _OPEN:
        return True
    if word in _NUMBERED and _NUMBER.match(head):
        return True
    return word.isdigit() and len(word) < 3 and _MONTH.match(head) is not None
