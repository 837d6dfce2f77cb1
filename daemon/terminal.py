"""Text from documents and file names, made safe for a terminal; JSON output needs none of this."""

import os
import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from capsa.chunkers.model import Span

# C0, DEL and C1; soft hyphen; the 12 characters with the property Bidi_Control; zero-width characters; line
# and paragraph separators; interlinear marks; lone surrogates (undecodable bytes of names); Unicode tags.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_UNSAFE_IN_BLOCK = re.compile(f"(?![\n\t]){_UNSAFE.pattern}")
BOLD, DIM, RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def _visible(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # os.fsdecode hides the undecodable byte 0xNN as U+DCNN
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return {0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"}.get(code, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def safe(text: str) -> str:
    """One line of text in which every control, bidi and zero-width character is visible instead of active."""
    return _UNSAFE.sub(_visible, text)


def safe_block(text: str) -> str:
    """Like safe, for text of several lines: line ends and tabs stay."""
    return _UNSAFE_IN_BLOCK.sub(_visible, text)


def without_active(text: str) -> str:
    """Text of several lines without any control, bidi or zero-width character."""
    return _UNSAFE_IN_BLOCK.sub("", text)


def show_path(path: bytes | str) -> str:
    """A path for people: decoded, and safe for a terminal."""
    return safe(os.fsdecode(path))


def wants_colour(stream: TextIO) -> bool:
    """Whether bold and dim may be used on the stream (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def highlight(text: str, spans: "Iterable[Span]", colour: bool) -> str:
    """The text made safe, with the spans in bold when colour is wanted."""
    if not colour:
        return safe_block(text)
    parts, at = [], 0
    for start, end in sorted(spans):
        start = max(start, at)
        if end > start:
            parts += [safe_block(text[at:start]), BOLD, safe_block(text[start:end]), RESET]
            at = end
    return "".join([*parts, safe_block(text[at:])])


def say(message: str) -> None:
    """Print one safe line to stderr."""
    print(safe(message), file=sys.stderr)  # noqa: T201 - the one place where messages are printed
