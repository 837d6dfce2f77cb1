"""What a PDF says beside its pages: title, author and dates, attachment names, form field values."""

import io
import logging
import re
import struct
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import pypdf
import pypdf.errors
import pypdfium2 as pdfium
import pypdfium2.raw as raw

from .pdf_text import clean, readable, squeeze

# pypdf reports each repair that it makes; the outcome of a document is told in its record instead.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)

# What pypdf is known to raise on files that are not what they claim to be.
PYPDF_ERRORS = (
    pypdf.errors.PyPdfError,
    pypdf.errors.DependencyError,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RecursionError,
    NotImplementedError,
    AssertionError,
    OSError,
    struct.error,
    zlib.error,
)
LARGEST = 12_000_000
"""Bytes of the largest file that pypdf reads for its metadata: opening one can take 0.1 s a MB."""
MOST_PAGES = 1000
META_SECONDS = 0.25
SECOND_OPINION_SECONDS = 5.0
SECOND_OPINION_PAGES = 200
MAX_FIELDS = 2000
_PLACEHOLDER = re.compile(
    r"\.(?:docx?|pdf|tex|dvi|odt|rtf|txt|html?|md|pptx?|xlsx?|indd|qxd|ps|fm)\b|^(?:untitled|microsoft word"
    r"|\(?anonymous\)?|\(?unspecified\)?|unknown|no title|none|about:blank|title|\W*)$",
    re.IGNORECASE,
)
_INFO = {
    "Author": "author",
    "Subject": "subject",
    "Keywords": "keywords",
    "CreationDate": "created",
    "ModDate": "modified",
}
_DATE = re.compile(r"^D?:?(\d{4})(\d{2})?(\d{2})?")


class Extras(NamedTuple):
    """What was found beside the pages."""

    title: str = ""
    metadata: Mapping[str, str] = {}
    fields: Sequence[str] = ()
    attachments: Sequence[str] = ()
    notes: Sequence[str] = ()


class TimeUp(ValueError):
    """pypdf has used the time that it was given."""


class TimedBytes(io.BytesIO):
    """A file in memory that ends with an error once a CPU time is over: pypdf can loop on damaged files."""

    def __init__(self, data: bytes, seconds: float) -> None:
        super().__init__(data)
        self._end = time.thread_time() + seconds

    def seek(self, position: int, whence: int = 0, /) -> int:
        """Move, as pypdf does for every object that it reads."""
        if time.thread_time() > self._end:
            raise TimeUp("the time for reading this file with pypdf is over")
        return super().seek(position, whence)


def open_reader(data: bytes, seconds: float) -> pypdf.PdfReader:
    """Open the file with pypdf; an empty password is tried, as viewers do."""
    reader = pypdf.PdfReader(TimedBytes(data, seconds), strict=False)
    if reader.is_encrypted and not reader.decrypt(""):
        raise pypdf.errors.FileNotDecryptedError("needs a password to open")
    return reader


def read_extras(pdf: Any, data: bytes, pages: int) -> Extras:
    """Return metadata and attachment names by pdfium, form fields and XMP by pypdf where that is cheap."""
    values = {name: readable(partial(pdf.get_metadata_value, name)) for name in pdf.METADATA_KEYS}
    info = {name: value for name, value in values.items() if value}
    metadata = {ours: _value(name, info[name]) for name, ours in _INFO.items() if info.get(name)}
    metadata = {name: value for name, value in metadata.items() if not _PLACEHOLDER.search(value)}
    title = info.get("Title", "")
    title = "" if _PLACEHOLDER.search(title) else title
    has_form = raw.FPDF_GetFormType(pdf.raw) != raw.FORMTYPE_NONE
    fields: Sequence[str] = ()
    notes: list[str] = []
    if (has_form or (not title and b"/Metadata" in data)) and len(data) <= LARGEST and pages <= MOST_PAGES:
        try:
            reader = open_reader(data, META_SECONDS)
            fields = read_fields(reader) if has_form else ()
            found = read_xmp(reader)
        except PYPDF_ERRORS as error:
            notes.append(f"form fields and XMP not read: {type(error).__name__}")
        else:
            title = title or found.pop("title", "")
            metadata = {**found, **metadata}
            metadata.pop("title", None)
    elif has_form:
        notes.append("form fields not read: the file is too large")
    return Extras(title, metadata, fields, attachment_names(pdf), notes)


def _value(name: str, value: str) -> str:
    """Return a date as YYYY-MM-DD, anything else as it is."""
    match = _DATE.match(value) if name.endswith("Date") else None
    return "-".join(part for part in match.groups() if part) if match else value[:1000]


def attachment_names(pdf: Any) -> list[str]:
    """Return the names of the files that the document carries."""
    names = []
    for number in range(min(pdf.count_attachments(), 200)):
        try:
            names.append(readable(pdf.get_attachment(number).get_name))
        except pdfium.PdfiumError:
            continue
    return [name for name in names if name]


def read_fields(reader: pypdf.PdfReader) -> list[str]:
    """Return "name: value" for each form field that is filled in."""
    found = []
    for name, field in list((reader.get_fields() or {}).items())[:MAX_FIELDS]:
        value = field.get("/V")
        for text in _texts(value):
            label = squeeze(clean(str(field.get("/TU") or name)))
            if text not in ("", "Off"):
                found.append(f"{label}: {text}")
    return found


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for member in value[:100]:
            yield from _texts(str(member))
    elif isinstance(value, str):
        yield squeeze(clean(value.removeprefix("/")))[:10_000]


def read_xmp(reader: pypdf.PdfReader) -> dict[str, str]:
    """Return title, author, language and subject from the XMP packet."""
    xmp = reader.xmp_metadata
    if xmp is None:
        return {}
    values = {
        "title": next(iter((xmp.dc_title or {}).values()), ""),
        "author": ", ".join(xmp.dc_creator or ()),
        "language": next(iter(xmp.dc_language or ()), ""),
        "subject": next(iter((xmp.dc_description or {}).values()), ""),
    }
    cleaned = {name: squeeze(clean(str(value)))[:1000] for name, value in values.items()}
    return {name: value for name, value in cleaned.items() if value and not _PLACEHOLDER.search(value)}


def second_opinion(data: bytes) -> list[str] | None:
    """Return the page texts that pypdf reads of a file that pdfium has refused, or None."""
    if len(data) > LARGEST:
        return None
    texts: list[str] = []
    try:
        reader = open_reader(data, SECOND_OPINION_SECONDS)
        for page in reader.pages[:SECOND_OPINION_PAGES]:
            texts.append(page.extract_text())
    except PYPDF_ERRORS:
        return texts if any(text.strip() for text in texts) else None
    return texts
