"""pdfium's functions that are called for every line or word of a page, without ctypes' checks of arguments.

These checks take two to three times as long as the functions themselves. Integers go in as C ints, everything
else has to be a ctypes object.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import pypdfium2.raw as raw


class Handle(ctypes.c_void_p):
    """An object of pdfium's: a subclass, since ctypes turns results of its own type into plain integers."""


def bind(function: Any, result: Any) -> Callable[..., Any]:
    """Return the C function with a result type and no argument types; it holds the interpreter's lock."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return ctypes.PYFUNCTYPE(result)(address)


get_box = bind(raw.FPDFText_GetCharBox, None)
get_color = bind(raw.FPDFText_GetFillColor, ctypes.c_int)
get_font = bind(raw.FPDFText_GetFontInfo, ctypes.c_ulong)
get_matrix = bind(raw.FPDFText_GetMatrix, ctypes.c_int)
get_object = bind(raw.FPDFText_GetTextObject, Handle)
get_object_font = bind(raw.FPDFTextObj_GetFont, ctypes.c_void_p)
get_origin = bind(raw.FPDFText_GetCharOrigin, None)
get_rect = bind(raw.FPDFText_GetRect, None)
get_size = bind(raw.FPDFText_GetFontSize, ctypes.c_double)
count_rects = bind(raw.FPDFText_CountRects, ctypes.c_int)
get_mark = bind(raw.FPDFPageObj_GetMarkedContentID, ctypes.c_int)
get_render_mode = bind(raw.FPDFTextObj_GetTextRenderMode, ctypes.c_int)
