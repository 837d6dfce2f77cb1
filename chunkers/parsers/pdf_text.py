"""Characters of PDF text made plain: ligatures, control characters, and words broken at line ends."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .pdf_lines import Line

# Only what stands for other letters: Latin ligatures and Arabic presentation forms. 10² does not become 102.
_FORMS = [*range(0xFB00, 0xFB07), *range(0xFB13, 0xFB18), *range(0xFB50, 0xFDFC), *range(0xFE70, 0xFEFD)]
_TABLE: dict[int, str | None] = {code: unicodedata.normalize("NFKC", chr(code)) for code in _FORMS}
_TABLE |= {code: None for code in (*range(0x20), *range(0x7F, 0xA0), 0xAD, 0x200B, 0x2060, 0xFEFF, 0xFFFF)}
_TABLE |= {
    9: " ",
    10: " ",
    13: " ",
    0xA0: " ",
    0x202F: " ",
    0xFFFE: "-",
    0xF0B7: "•",
    0xF0A7: "▪",
    0xF0D8: "➢",
}
_TABLE |= {code: "\ufffd" for code in range(0xD800, 0xE000)}
# Marks of direction, which pdfium has applied already.
_TABLE |= dict.fromkeys((0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)))
_TABLE |= {0x2010: "-", 0x2011: "-"}
# The parts of large brackets, to which Adobe gave private codes before Unicode had any.
_TABLE |= dict(zip(range(0xF8EB, 0xF8FF), "⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭", strict=True))
# TeX's older fonts print an accent as a character of its own before the letter.
_ACCENTS = {"¨": "\u0308", "ˇ": "\u030c", "˚": "\u030a", "ˆ": "\u0302", "˜": "\u0303"}
_ACCENTED = re.compile("([¨ˇ˚ˆ˜]) ?([A-Za-zı])")
# Few lines have a character that is written otherwise: to look for one costs a tenth of a translation.
_ODD = re.compile("[" + re.escape("".join(map(chr, _TABLE))) + "".join(_ACCENTS) + "]")
_WORD = re.compile(r"\w[\w-]*")
# What ends a word in ASCII: all but letters, digits, underscores and hyphens.
_TO_SPACES = bytes(code if chr(code).isalnum() or chr(code) in "_-" else 32 for code in range(128)) + bytes(
    128
)
_LAST_WORD = re.compile(r"[^\W_]+$")
_FIRST_WORD = re.compile(r"[^\W_]+")
_KEEPING = frozenset(
    [
        "self",
        "well",
        "non",
        "cross",
        "high",
        "low",
        "multi",
        "semi",
        "half",
        "all",
        "ex",
        "post",
        "pre",
        "co",
        "anti",
        "mid",
        "quasi",
        "ill",
        "long",
        "short",
        "full",
        "left",
        "right",
        "two",
        "three",
        "four",
        "five",
        "six",
        "ten",
        "first",
        "second",
        "third",
        "one",
        "single",
        "double",
        "real",
        "open",
        "user",
        "end",
        "non-",
    ]
)


def clean(text: str) -> str:
    """Return the text composed (NFC), ligatures spelled out, without control characters and soft hyphens."""
    if text.isascii() and text.isprintable():
        return text
    if _ODD.search(text):
        text = _ACCENTED.sub(_compose, text.translate(_TABLE))
    return unicodedata.normalize("NFC", text)


def _compose(match: re.Match[str]) -> str:
    letter = "i" if match[2] == "ı" else match[2]
    composed = unicodedata.normalize("NFC", letter + _ACCENTS[match[1]])
    return composed if len(composed) == 1 else match[0]


def squeeze(text: str) -> str:
    """Return the text with single spaces."""
    # No other space is printable.
    if text.isprintable() and "  " not in text:
        return text.strip()
    return " ".join(text.split())


def readable(read: Callable[[], str]) -> str:
    """Return the text that pdfium's caller reads, made plain; none when its UTF-16 is damaged."""
    try:
        return squeeze(clean(read()))
    except UnicodeDecodeError:
        return ""


def words_of(texts: Sequence[str]) -> set[str]:
    """Return the words of some lines in small letters, hyphenated ones whole."""
    plain = "\n".join([text for text in texts if text.isascii()]).lower().encode()
    words = set(plain.translate(_TO_SPACES).decode().split())
    words.update([word.lstrip("-") for word in words if word[0] == "-"])
    words.discard("")
    words.update(_WORD.findall("\n".join([text for text in texts if not text.isascii()]).lower()))
    return words


class Joiner:
    """Joins a document's lines; a hyphen at a line's end stays where the document itself writes one."""

    def __init__(self, pieces: Iterable[tuple[str, bool]]) -> None:
        self._pieces = pieces
        self._words: set[str] | None = None

    def _known(self) -> set[str]:
        """Return the words that the document writes inside its lines, hyphenated ones whole."""
        if self._words is None:
            texts, broken = [], False
            for text, hyphen in self._pieces:
                # The second half of a broken word is no word.
                texts.append(text.partition(" ")[2] if broken else text)
                broken = hyphen or text.endswith("-")
            self._words = words_of(texts)
        return self._words

    def break_word(self, left: str, right: str) -> str:
        """Return what stands between the two halves of a word that a line end has broken: "-" or nothing."""
        before, after = _LAST_WORD.search(left[-60:]), _FIRST_WORD.match(right)
        if before is None or after is None:
            return "-"
        first, second = before[0], after[0]
        if second[0].isupper() or second[0].isdigit() or first[-1].isdigit():
            return "-" if not (first.isupper() and second.isupper() and len(first) > 1) else ""
        first, second = first.lower(), second.lower()
        words = self._known()
        if first + second in words:
            return ""
        if f"{first}-{second}" in words or (first in _KEEPING and second in words):
            return "-"
        return ""

    def paragraph(self, lines: "Sequence[Line]") -> str:
        """Return the lines as one paragraph with single spaces."""
        return self.run([(line.text, line.hyphen) for line in lines])

    def run(self, pieces: Iterable[tuple[str, bool]]) -> str:
        """Return pieces of text, each with whether a hyphen breaks its last word, as one running text."""
        parts: list[str] = []
        last, hyphen = "", False
        for piece, broken in pieces:
            if not piece:
                continue
            if not last:
                pass
            elif hyphen:
                parts.append(self.break_word(last, piece))
            elif last[-1] == "-" and last[-2:-1].isalpha() and piece[0].isalpha():
                parts[-1] = last[:-1]
                parts.append(self.break_word(parts[-1], piece))
            else:
                parts.append(" ")
            parts.append(piece)
            last, hyphen = piece, broken
        return squeeze("".join(parts) + ("-" if hyphen else ""))
