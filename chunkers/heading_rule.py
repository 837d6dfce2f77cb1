"""The rule by which the context_aware parser and the advanced chunker tell a heading from its text alone."""

import re

LONGEST = 130

_MARKDOWN = re.compile(r"#{1,6}\s+\S")
_NAMED = re.compile(
    r"(?:chapter|part|section|schedule|annexure|annex|appendix|article|rule|form)\s+[IVXLC\d][\w.()-]{0,8}(?:\s|$|[-–—:])",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?:\d{1,3}(?:\.\d{1,3}){0,4}\.?|[A-Z]\.|\([a-z]\)|[IVXLC]{1,6}\.)\s+[A-Z][^.;]{2,90}$"
)


def is_heading(text: str) -> bool:
    """Tell whether the first line is a Markdown header, a section marker, or a short line of capitals."""
    line = text.lstrip().split("\n", 1)[0].strip()
    if not line or len(line) > LONGEST:
        return False
    if _MARKDOWN.match(line):
        return True
    if line[-1] in ".;,":
        return False
    return bool(_NAMED.match(line) or _NUMBERED.match(line)) or _is_capitals(line)


def _is_capitals(line: str) -> bool:
    letters = [character for character in line if character.isalpha()]
    return len(letters) >= 4 and len(line) <= 90 and all(character.isupper() for character in letters)
