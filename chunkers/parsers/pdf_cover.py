"""What of a page is seen: its box, and how much of it an image covers."""

from typing import Any

import pypdfium2.raw as raw

SCAN_COVER = 0.5
"""The part of a page that an image covers, from which on the page is a scan."""
MAX_OBJECTS = 200


def bounding_box(page: Any) -> tuple[float, float, float, float]:
    """Return left, bottom, right and top of the visible page, without ends where pdfium knows none."""
    box = raw.FS_RECTF()
    if not raw.FPDF_GetPageBoundingBox(page.raw, box):
        return float("-inf"), float("-inf"), float("inf"), float("inf")
    return box.left, box.bottom, box.right, box.top


def image_cover(page: Any) -> float:
    """Return the part of the page that its largest image covers."""
    best = 0.0
    width, height = page.get_size()
    for number in range(min(raw.FPDFPage_CountObjects(page.raw), MAX_OBJECTS)):
        handle = raw.FPDFPage_GetObject(page.raw, number)
        if raw.FPDFPageObj_GetType(handle) == raw.FPDF_PAGEOBJ_IMAGE:
            best = max(best, _area(handle) / max(width * height, 1.0))
    return best


def bounds(handle: Any) -> tuple[float, float, float, float] | None:
    """Return left, bottom, right and top of a page object, or None when pdfium knows none."""
    edges = [raw.c_float() for _ in range(4)]
    if not raw.FPDFPageObj_GetBounds(handle, *edges):
        return None
    left, bottom, right, top = (edge.value for edge in edges)
    return left, bottom, right, top


def _area(handle: Any) -> float:
    box = bounds(handle)
    return 0.0 if box is None else max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)
