"""Which pages of a PDF are scans: images over most of the page, and next to no text."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from .model import Document

SCAN_COVER = 0.5
"""The part of a page that images cover, from which on a page without text is a scan."""
SCAN_CHARACTERS = 20
"""Characters of a page, beside running heads, that are less than text: a stamp, a page number."""
MAX_OBJECTS = 500
MAX_DEPTH = 3


def mark_scans(document: Document, data: bytes) -> Document:
    """Return the PDF's document with its scanned pages named; its outcome is "scan" if it is nothing else."""
    if document.outcome == "protected":
        return document
    scanned = find_scans(document, data)
    if not scanned:
        return document
    only = document.outcome == "empty" and len(scanned) * 2 > document.pages
    return replace(document, scanned_pages=scanned, outcome="scan" if only else document.outcome)


def find_scans(document: Document, data: bytes) -> tuple[int, ...]:
    """Return the numbers of the pages that are scans; pdfium looks only at pages without text."""
    bare = pages_without_text(document)
    if not bare:
        return ()
    try:
        pdf = pdfium.PdfDocument(data)
    except pdfium.PdfiumError:  # what pypdf could read instead
        return ()
    try:
        return tuple(number for number in bare if number <= len(pdf) and _is_image(pdf, number))
    finally:
        pdf.close()


def pages_without_text(document: Document) -> list[int]:
    """Return the numbers of the pages with fewer than SCAN_CHARACTERS beside furniture."""
    characters: Counter[int] = Counter()
    for block in document.blocks:
        if block.page is not None and block.kind != "furniture" and block.found_by != "ocr":
            characters[block.page] += block.end - block.start
    return [n for n in range(1, document.pages + 1) if characters[n] < SCAN_CHARACTERS]


def _is_image(pdf: Any, number: int) -> bool:
    try:
        page = pdf[number - 1]
    except pdfium.PdfiumError:
        return False
    try:
        width, height = page.get_size()
        return _image_area(page.raw) >= SCAN_COVER * max(float(width * height), 1.0)
    finally:
        page.close()


def _image_area(page: Any) -> float:
    """Return the area in square points that images paint, those painted over others counted again."""
    objects = (
        raw.FPDFPage_GetObject(page, number)
        for number in range(min(raw.FPDFPage_CountObjects(page), MAX_OBJECTS))
    )
    return sum(_area(handle, MAX_DEPTH) for handle in objects)


def _area(handle: Any, depth: int) -> float:
    kind = raw.FPDFPageObj_GetType(handle)
    if kind == raw.FPDF_PAGEOBJ_IMAGE:
        left, bottom, right, top = edges = [raw.c_float() for _ in range(4)]
        if not raw.FPDFPageObj_GetBounds(handle, *edges):
            return 0.0
        return float(max(right.value - left.value, 0.0) * max(top.value - bottom.value, 0.0))
    if kind == raw.FPDF_PAGEOBJ_FORM and depth:
        return _form_area(handle, depth - 1)
    return 0.0


def _form_area(form: Any, depth: int) -> float:
    """Return the area of the images in a form, whose own coordinates its matrix stretches."""
    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(form, matrix)
    count = min(max(raw.FPDFFormObj_CountObjects(form), 0), MAX_OBJECTS)
    inside = sum(_area(raw.FPDFFormObj_GetObject(form, number), depth) for number in range(count))
    return float(abs(matrix.a * matrix.d - matrix.b * matrix.c) * inside)
