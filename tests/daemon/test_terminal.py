"""Nothing from a document acts on a terminal."""

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from capsa.daemon.terminal import BOLD, RESET, highlight, safe, safe_block, show_path

BIDI_CONTROL = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e"
ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=50)


@given(ANY_TEXT)
def test_no_active_character_is_left(text: str) -> None:
    shown = safe(text)
    assert not [char for char in shown if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    assert not set(shown) & set(BIDI_CONTROL + ZERO_WIDTH)


@given(st.text(alphabet=st.characters(categories=("L", "N", "P", "S", "Zs")), max_size=50))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert safe(text) == text


@given(ANY_TEXT)
def test_a_block_keeps_only_line_ends_and_tabs(text: str) -> None:
    left = [char for char in safe_block(text) if unicodedata.category(char) in ("Cc", "Cf", "Cs")]
    assert set(left) <= {"\n", "\t"}


@given(ANY_TEXT, st.lists(st.tuples(st.integers(-5, 60), st.integers(-5, 60)), max_size=5))
def test_highlights_add_only_our_own_codes(text: str, spans: list[tuple[int, int]]) -> None:
    shown = highlight(text, spans, colour=True)
    plain = shown.replace(BOLD, "").replace(RESET, "")
    assert "\x1b" not in plain
    assert plain == safe_block(text)
    assert shown.count(BOLD) == shown.count(RESET)


def test_what_hostile_text_becomes() -> None:
    assert safe("a\x1b]0;title\x07b") == "a\\x1b]0;title\\x07b"
    assert safe("invoice\u202efdp.exe") == "invoice\\u202efdp.exe"
    assert safe("a\u200bb\r\n") == "a\\u200bb\\r\\n"
    assert safe("\U000e0041") == "\\U000e0041"
    assert show_path(b"caf\xe9\x1b[2J.txt") == "caf\\xe9\\x1b[2J.txt"


def test_highlight_marks_the_words() -> None:
    assert highlight("a storm came", [(2, 7)], colour=True) == f"a {BOLD}storm{RESET} came"
    assert highlight("a storm came", [(2, 7)], colour=False) == "a storm came"
    assert re.fullmatch(r"[^\x1b]*", highlight("a\x1bstorm", [(0, 7)], colour=False))
