"""Text recognition on pages that are images, by the extra `capsa[ocr]`: rapidocr and its wheel's models.

Nothing is downloaded: the models are named by path, and without one of them the extra counts as absent.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import UnavailableError
from .ocr_page import OcrLine, OcrPage
from .onnx_runtime import import_onnxruntime

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Image = npt.NDArray[np.uint8]

ENGINE = "PP-OCRv6-small/150"
"""What recognised pages are kept under: raise it when the models or the way to ask them change."""
INSTALL = "pip install 'capsa[ocr]'"
DPI = 150
MAX_SIDE = 2000
"""Pixels of a page's longer side: the engine would scale a larger image down."""
UNSURE = 0.75
"""Mean confidence under which a page may stand on its head; upright pages have 0.9 and more."""
FEW = 3
"""Lines that do not tell how a page stands."""
_DETECTION = "PP-OCRv6_det_small.onnx"
_RECOGNITION = "PP-OCRv6_rec_small.onnx"


def models_folder() -> Path | None:
    """Return the folder of the models, or None without the extra; imports nothing of it."""
    spec = find_spec("rapidocr")
    if spec is None or spec.origin is None or find_spec("cv2") is None:
        return None
    folder = Path(spec.origin).parent / "models"
    return folder if all((folder / name).is_file() for name in (_DETECTION, _RECOGNITION)) else None


def is_available() -> bool:
    """Say whether scans can be read on this machine."""
    return models_folder() is not None


class Recogniser:
    """Reads pages of PDFs; raises UnavailableError without the extra. One thread, about 0.6 GB of memory."""

    def __init__(self) -> None:
        folder = models_folder()
        if folder is None:
            raise UnavailableError(f"scans cannot be read: {INSTALL}")
        import logging

        logging.disable(logging.WARNING)  # it warns of every page without text
        import_onnxruntime()
        from rapidocr import RapidOCR

        engine = "EngineConfig.onnxruntime"
        self._engine: Any = RapidOCR(
            params={
                "Global.log_level": "error",
                "Global.use_cls": False,
                "Global.max_side_len": MAX_SIDE,
                "Det.model_path": str(folder / _DETECTION),
                "Rec.model_path": str(folder / _RECOGNITION),
                f"{engine}.intra_op_num_threads": 1,
                f"{engine}.inter_op_num_threads": 1,
            }
        )

    def read(self, page: Any) -> OcrPage:
        """Recognise the text of an open page of pypdfium2, turned so that most of it stands upright."""
        best = self._read_turned(page, 0)
        if len(best.lines) >= FEW and _is_lying(best.lines):
            return max((self._read_turned(page, angle) for angle in (90, 270)), key=_confidence)
        if len(best.lines) >= FEW and _confidence(best) < UNSURE:
            return max((best, self._read_turned(page, 180)), key=_confidence)
        return best

    def _read_turned(self, page: Any, angle: int) -> OcrPage:
        width, height = page.get_size()
        scale = min(DPI / 72, MAX_SIDE / max(width, height, 1.0))
        image = render(page, scale, angle)
        output = self._engine(image)
        rows, columns = image.shape[:2]
        if output.txts is None:
            return OcrPage(columns / scale, rows / scale, ())
        found = zip(output.boxes, output.txts, output.scores, strict=True)
        lines = (to_line(box, text, score, scale, rows) for box, text, score in found if text.strip())
        return OcrPage(columns / scale, rows / scale, tuple(lines))


def render(page: Any, scale: float, angle: int) -> "Image":
    """Render a page as uint8 [rows, columns, 3], blue first."""
    import numpy as np
    import pypdfium2.raw as raw

    bitmap = page.render(scale=scale, rotation=angle, force_bitmap_format=raw.FPDFBitmap_BGR)
    try:
        image: Image = np.ascontiguousarray(bitmap.to_numpy())
        return image.copy()
    finally:
        bitmap.close()


def to_line(box: "Any", text: str, score: float, scale: float, rows: int) -> OcrLine:
    """Return a found box, float32 [4, 2] in pixels from the top left, as a line in points, y up."""
    # A line that is a little askew is as high as its edges are long, not as the box around it.
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = ((float(x), float(y)) for x, y in box)
    top, bottom = (y0 + y1) / 2, (y2 + y3) / 2
    return OcrLine(
        text=" ".join(text.split()),
        x0=round(min(x0, x3) / scale, 1),
        x1=round(max(x1, x2) / scale, 1),
        top=round((rows - top) / scale, 1),
        bottom=round((rows - bottom) / scale, 1),
        score=round(float(score), 3),
    )


def _is_lying(lines: Sequence[OcrLine]) -> bool:
    """Say whether most of the text runs up or down the page."""
    long = [line for line in lines if len(line.text) > 3]
    upright = sum(line.x1 - line.x0 > line.top - line.bottom for line in long)
    return upright * 2 < len(long)


def _confidence(page: OcrPage) -> float:
    return sum(line.score for line in page.lines) / max(len(page.lines), 1)
