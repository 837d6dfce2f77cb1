"""The patterns of .gitignore and .capsaignore, on bytes, without backtracking.

The rules: https://git-scm.com/docs/gitignore
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_POSIX_CLASSES = {
    b"alnum": b"0-9A-Za-z",
    b"alpha": b"A-Za-z",
    b"blank": rb" \t",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": b"0-9",
    b"graph": rb"\x21-\x7e",
    b"lower": b"a-z",
    b"print": rb"\x20-\x7e",
    b"punct": rb"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    b"space": rb" \t\n\r\f\v",
    b"upper": b"A-Z",
    b"xdigit": b"0-9A-Fa-f",
}
_WILD = re.compile(rb"[*?\[\\]")
_BRACKET = re.compile(rb"\[([!^]?)(\]?(?:\[:[a-z]+:\]|\\.|[^\]\\])*)\]", re.DOTALL)
# What may be a slash between names, or stand before one that is none.
_MARK = re.compile(rb"\\[^/]|\[|/", re.DOTALL)
_BRACKET_ITEM = re.compile(rb"\[:([a-z]+):\]|(\\?.)(?:-(\\?[^\]]))?", re.DOTALL)
# A file that could make matching slow is not a list of patterns; real ones have a few hundred lines.
MAX_PATTERNS = 5_000

Segment = bytes | re.Pattern[bytes] | None  # a literal name, a pattern for one name, or None for **


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern: how it says no or yes, whether it is for folders only, and the names it is made of."""

    order: int
    negated: bool
    folders_only: bool
    segments: tuple[Segment, ...]

    def matches(self, names: Sequence[bytes]) -> bool:
        """Whether the whole path, given as its names, is matched."""
        return _match_names(self.segments, names)


class IgnoreRules:
    """The rules of one ignore file; the last rule that matches decides."""

    def __init__(self, text: bytes) -> None:
        self._by_name: dict[bytes, list[Rule]] = {}
        self._by_suffix: dict[bytes, list[Rule]] = {}
        self._other_names: list[Rule] = []
        self._paths: list[Rule] = []
        for order, line in enumerate(_lines(text)):
            self._add(order, line)

    def _add(self, order: int, line: bytes) -> None:
        negated = line.startswith(b"!")
        pattern = line[negated:]
        folders_only = pattern.endswith(b"/") and not pattern.endswith(b"\\/")
        pattern = pattern[: len(pattern) - folders_only]
        if b"/" in pattern:
            segments = _path_segments(pattern)
            bucket = self._paths
        else:
            segments = _segments([pattern], deep=False)
            bucket = self._bucket(pattern, segments)
        if segments is not None:
            bucket.append(Rule(order, negated, folders_only, segments))

    def _bucket(self, pattern: bytes, segments: tuple[Segment, ...] | None) -> list[Rule]:
        if segments and isinstance(segments[0], bytes):
            return self._by_name.setdefault(segments[0], [])
        if re.fullmatch(rb"\*\.[^.*?\[\\]+", pattern):
            return self._by_suffix.setdefault(pattern[2:], [])
        return self._other_names

    def verdict(self, path: bytes, is_dir: bool) -> bool | None:
        """True to ignore the path, relative to the file's folder; False to keep it; None: no rule matches."""
        best: Rule | None = None
        for rule in self._matching(path):
            if (is_dir or not rule.folders_only) and (best is None or rule.order > best.order):
                best = rule
        return None if best is None else not best.negated

    def _matching(self, path: bytes) -> Iterator[Rule]:
        name = path.rpartition(b"/")[2]
        yield from self._by_name.get(name, ())
        _, dot, suffix = name.rpartition(b".")
        if dot and self._by_suffix:
            yield from self._by_suffix.get(suffix, ())
        yield from (rule for rule in self._other_names if rule.matches((name,)))
        if self._paths:
            names = path.split(b"/")
            yield from (rule for rule in self._paths if rule.matches(names))


def _lines(text: bytes) -> Iterator[bytes]:
    for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:MAX_PATTERNS]:
        line = _strip_trailing_spaces(line.removesuffix(b"\r"))
        if line and not line.startswith(b"#") and line not in (b"!", b"/"):
            yield line


def _strip_trailing_spaces(line: bytes) -> bytes:
    stripped = line.rstrip(b" ")
    backslashes = len(stripped) - len(stripped.rstrip(b"\\"))
    return stripped + b" " if backslashes % 2 and len(stripped) < len(line) else stripped


def _path_segments(pattern: bytes) -> tuple[Segment, ...] | None:
    names = _names(pattern.removeprefix(b"/"))
    segments = _segments(names, deep=True)
    if segments and names[-1] == b"**":
        # "a/**" is what lies inside a, not a itself: any number of folders, then one more name.
        return (*segments, re.compile(rb".*", re.DOTALL))
    return segments


def _names(pattern: bytes) -> list[bytes]:
    """Cut at the slashes, but not within brackets: "[[/]" matches the name "["."""
    names, start, at = [], 0, 0
    while mark := _MARK.search(pattern, at):
        at = mark.end()
        if mark[0] == b"/":
            names.append(pattern[start : mark.start()])
            start = at
        elif mark[0] == b"[":
            bracket = _BRACKET.match(pattern, mark.start())
            if bracket is None:
                break  # git finds the pattern invalid, and so does who reads this name
            at = bracket.end()
    return [*names, pattern[start:]]


def _segments(names: Sequence[bytes], deep: bool) -> tuple[Segment, ...] | None:
    segments: list[Segment] = []
    for name in names:
        if deep and name == b"**":
            segments.append(None)
            continue
        segment = _segment(name)
        if segment is None:
            return None
        segments.append(segment)
    return tuple(segments)


def _segment(name: bytes) -> bytes | re.Pattern[bytes] | None:
    """A literal name or a compiled pattern; None when git would find the pattern invalid."""
    if not _WILD.search(name):
        return name
    pieces = _pieces(name)
    if pieces is None:
        return None
    if len(pieces) == 1 and not re.search(rb"[*?\[]", name):
        return re.sub(rb"\\(.)", rb"\1", name, flags=re.DOTALL)
    # Atomic groups: the leftmost place for each piece between stars is always good enough.
    head, *rest = pieces
    middle = b"".join(b"(?>.*?" + piece + b")" for piece in rest[:-1])
    tail = b".*" + rest[-1] if rest else b""
    return re.compile(head + middle + tail, re.DOTALL)


def _pieces(name: bytes) -> list[bytes] | None:
    """The pattern cut at its stars, each piece as a regular expression of fixed length."""
    pieces, piece, at = [], b"", 0
    while at < len(name):
        char = name[at : at + 1]
        if char == b"*":
            pieces.append(piece)
            piece, at = b"", at + 1
            continue
        token, at = _token(name, at)
        if token is None:
            return None
        piece += token
    return [*pieces, piece]


def _token(name: bytes, at: int) -> tuple[bytes | None, int]:
    char = name[at : at + 1]
    if char == b"?":
        return b".", at + 1
    if char == b"\\":
        escaped = name[at + 1 : at + 2]
        return (re.escape(escaped), at + 2) if escaped else (None, at)
    if char == b"[":
        match = _BRACKET.match(name, at)
        return (_bracket(match), match.end()) if match else (None, at)
    return re.escape(char), at + 1


def _bracket(match: re.Match[bytes]) -> bytes:
    items = b""
    for item in _BRACKET_ITEM.finditer(match[2]):
        if item[1]:
            items += _POSIX_CLASSES.get(item[1], b"")
            continue
        first, last = item[2][-1:], (item[3] or item[2])[-1:]
        if first <= last:
            items += re.escape(first) + b"-" + re.escape(last)
    if not items:
        return b"." if match[1] else b"(?!)"
    return b"[" + (b"^" if match[1] else b"") + items + b"]"


def _match_names(segments: Sequence[Segment], names: Sequence[bytes]) -> bool:
    """Match name by name; trying only the last ** again is enough and bounds the work by their product."""
    at = name_at = 0
    star = star_name = -1
    while name_at < len(names):
        if at < len(segments) and segments[at] is None:
            star, star_name = at, name_at
            at += 1
        elif at < len(segments) and _match_name(segments[at], names[name_at]):
            at, name_at = at + 1, name_at + 1
        elif star >= 0:
            star_name += 1
            at, name_at = star + 1, star_name
        else:
            return False
    return at == len(segments)


def _match_name(segment: Segment, name: bytes) -> bool:
    if isinstance(segment, bytes):
        return segment == name
    return segment is not None and segment.fullmatch(name) is not None
