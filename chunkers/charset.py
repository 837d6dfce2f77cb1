"""Bytes to text as a browser does it: BOM, declared label (HTML), strict UTF-8, then a guess."""

import codecs
import re

from .build import storable

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose little-endian mark it starts with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_GUESS_BYTES = 65536
# Bytes that continue a UTF-8 sequence, all in their places: chance does not produce this many.
_FEWEST_FOLLOWERS = 4
_META_BYTES = 1024
_META = re.compile(
    rb"<meta[^>]{1,300}?charset\s{0,9}=\s{0,9}[\"']?\s{0,9}([A-Za-z0-9_:.\-]{1,40})", re.IGNORECASE
)
_XML = re.compile(rb"^\s{0,99}<\?xml[^>]{1,200}?encoding\s{0,9}=\s{0,9}[\"']([A-Za-z0-9_:.\-]{1,40})[\"']")

# Labels to which https://encoding.spec.whatwg.org/#names-and-labels gives another meaning than Python's codec
# of that name, and labels that Python does not know.
_ALIASES = {
    **dict.fromkeys(("ascii", "us-ascii", "ansi_x3.4-1968", "iso-8859-1", "iso8859-1", "latin1"), "cp1252"),
    **dict.fromkeys(("latin-1", "l1", "iso_8859-1", "cp819", "x-user-defined", "x-cp1252"), "cp1252"),
    **dict.fromkeys(("iso-8859-9", "iso8859-9", "latin5", "l5"), "cp1254"),
    **dict.fromkeys(("gb2312", "gbk", "gb_2312-80", "x-gbk", "chinese", "csgb2312"), "gb18030"),
    **dict.fromkeys(
        ("shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "windows-31j", "ms932"), "cp932"
    ),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987", "ksc5601", "korean", "windows-949"), "cp949"),
    **dict.fromkeys(("big5", "x-x-big5", "cn-big5", "big5-hkscs"), "big5hkscs"),
    **dict.fromkeys(("tis-620", "iso-8859-11", "windows-874", "dos-874"), "cp874"),
    **dict.fromkeys(("utf8", "unicode-1-1-utf-8", "x-unicode20utf8", "unicode11utf8"), "utf-8"),
    # A meta element that claims UTF-16 was itself read as ASCII, so the claim is wrong.
    **dict.fromkeys(("utf-16", "utf-16le", "utf-16be", "unicode", "ucs-2", "utf-32"), "utf-8"),
    **{f"x-cp125{digit}": f"cp125{digit}" for digit in range(9)},
    "iso-8859-8-i": "iso8859-8",
    "macintosh": "mac_roman",
    "x-mac-roman": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
    "koi8": "koi8_r",
    "koi8-ru": "koi8_u",
    "x-euc-jp": "euc_jp",
}
# The encodings of the standard; a page may not call for "utf-7", "hex" or "unicode_escape".
_SAFE_CODEC = re.compile(
    r"utf-8|gb18030|big5hkscs|euc_jp|iso2022_jp|koi8[-_][ru]|mac[-_](roman|cyrillic)"
    r"|cp(932|949|866|874|125\d)|iso8859-\d+"
)


def decode(data: bytes, *, html: bool = False) -> tuple[str, str]:
    """Return the text, its newlines normalised, and the name of the encoding; never fails."""
    text, encoding = _decode(data, html)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return storable(text.removeprefix("\ufeff")), encoding


def glance(head: bytes) -> str:
    """Return the head of a file with its ASCII characters right: a format is known by no others."""
    wide = _decode_wide(head)
    return wide[0] if wide else head.decode("latin-1")


def _decode_wide(data: bytes) -> tuple[str, str] | None:
    """Decode what has a byte order mark, or two bytes a character."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace"), encoding
    wide = wide_encoding(data)
    return (data.decode(wide, "replace"), wide) if wide else None


def _decode(data: bytes, html: bool) -> tuple[str, str]:
    if wide := _decode_wide(data):
        return wide
    declared = declared_encoding(data) if html else None
    if declared and declared != "utf-8" and not _is_surely_utf8(data):
        return data.decode(declared, "replace"), declared
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        guessed = "utf-8" if declared or _mostly_utf8(data) else _guess(data)
        return data.decode(guessed, "capsa.windows-1252" if guessed == "utf-8" else "replace"), guessed


def declared_encoding(data: bytes) -> str | None:
    """Return Python's codec for the label in the first meta elements or the XML declaration."""
    match = _META.search(data, 0, _META_BYTES) or _XML.match(data[:_META_BYTES])
    if match is None:
        return None
    label = match[1].decode("ascii").lower()
    try:
        name = codecs.lookup(_ALIASES.get(label, label)).name
    except LookupError:
        return None
    return name if _SAFE_CODEC.fullmatch(name) else None


def wide_encoding(data: bytes) -> str | None:
    """Recognise UTF-16 without a mark: text in most scripts has a zero in every second byte."""
    head = data[:4096]
    if len(head) < 8 or b"\0" not in head:
        return None
    even, odd = head[0::2].count(0) * 2 / len(head), head[1::2].count(0) * 2 / len(head)
    if odd > 0.6 and even < 0.1:
        return "utf-16-le"
    if even > 0.6 and odd < 0.1:
        return "utf-16-be"
    return None


def _is_surely_utf8(data: bytes) -> bool:
    """Tell a page that was saved anew as UTF-8 under its old label: no other encoding looks like this."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return len(data) - len(text) >= _FEWEST_FOLLOWERS


def _mostly_utf8(data: bytes) -> bool:
    """Tell UTF-8 with some bytes of another encoding pasted in from a text that is not UTF-8."""
    head = data[:_GUESS_BYTES]
    text = head.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    return sum(char > "\x7f" for char in text) - broken > 2 * broken


def _guess(data: bytes) -> str:
    import chardet

    name = chardet.detect(data[:_GUESS_BYTES])["encoding"] or "cp1252"
    try:
        found = codecs.lookup(_ALIASES.get(name.lower(), name)).name
    except LookupError:
        return "cp1252"
    return found if _SAFE_CODEC.fullmatch(found) and found != "utf-8" else "cp1252"


def _as_windows_1252(error: UnicodeError) -> tuple[str, int]:
    """Read the bytes that are not UTF-8 as windows-1252, the usual guest in such a text."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error("capsa.windows-1252", _as_windows_1252)
