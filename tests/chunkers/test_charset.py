"""Bytes to text as browsers do it."""

import pytest

from capsa.chunkers.charset import declared_encoding, decode

SAMPLES = {
    "cp1251": "Мельница стоит у реки, и вода крутит колесо весь день и всю ночь.",
    "shift_jis": "水車は川のそばに立っていて、一日中回っています。",
    "gb18030": "水磨站在河边，水整天转动着轮子，人们都很高兴。",
    "euc_kr": "물레방아는 강가에 서 있고 물이 하루 종일 바퀴를 돌린다.",
    "cp1253": "Ο μύλος στέκεται δίπλα στο ποτάμι και το νερό γυρίζει τον τροχό.",
}


@pytest.mark.parametrize("encoding", SAMPLES)
def test_undeclared_encodings_are_recognised(encoding: str) -> None:
    assert decode(SAMPLES[encoding].encode(encoding))[0] == SAMPLES[encoding]


@pytest.mark.parametrize("label", ["windows-1251", "Windows-1251", "x-cp1251", "cp1251"])
def test_a_declared_label_is_believed(label: str) -> None:
    page = f"<meta charset='{label}'>".encode() + "мир".encode("cp1251")
    assert decode(page, html=True)[0].endswith("мир")


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("iso-8859-1", "cp1252"),
        ("us-ascii", "cp1252"),
        ("latin1", "cp1252"),
        ("iso-8859-9", "cp1254"),
        ("gb2312", "gb18030"),
        ("shift_jis", "cp932"),
        ("ks_c_5601-1987", "cp949"),
        ("big5", "big5hkscs"),
        ("tis-620", "cp874"),
        ("utf-16", "utf-8"),
        ("koi8-r", "koi8-r"),
        ("utf-7", None),
        ("hex", None),
        ("unicode_escape", None),
        ("no-such-thing", None),
    ],
)
def test_labels_mean_what_the_encoding_standard_says(label: str, codec: str | None) -> None:
    assert declared_encoding(f'<meta http-equiv=x content="text/html; charset={label}">'.encode()) == codec


def test_a_mark_beats_a_declaration() -> None:
    assert decode(b"\xef\xbb\xbf<meta charset='koi8-r'>\xc3\xbc", html=True) == (
        "<meta charset='koi8-r'>ü",
        "utf-8",
    )


def test_a_declaration_after_1024_bytes_is_not_read() -> None:
    page = b" " * 1100 + b"<meta charset='koi8-r'>\xc3\xbc"
    assert decode(page, html=True)[1] == "utf-8"


def test_plain_text_declares_nothing() -> None:
    assert decode(b"<meta charset='koi8-r'>\xc3\xbc")[1] == "utf-8"


def test_newlines_become_one_kind() -> None:
    assert decode(b"a\r\nb\rc\n")[0] == "a\nb\nc\n"


@pytest.mark.parametrize(
    ("body", "label", "encoding"),
    [
        ("Mühle, Straße, Fluß, Gezeiten für Größe", "iso-8859-1", "utf-8"),
        ("Mühle", "iso-8859-1", "cp1252"),
        ("水車は潮で回る", "shift_jis", "utf-8"),
    ],
)
def test_a_page_saved_anew_as_utf8_under_its_old_label(body: str, label: str, encoding: str) -> None:
    assert decode(f"<meta charset={label}><p>{body}".encode(), html=True)[1] == encoding
