"""PDFs whose pages are images, made for the tests."""

import io
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import letter
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

LETTER_LINES = (
    "The harbour office keeps a record of every vessel",
    "that enters the bay and of the cargo it carries.",
    "Each entry names the master and the port of departure.",
)


def picture(lines: Sequence[str], turned: int = 0) -> Image.Image:
    """A page of letter size at 100 dpi with the lines painted on it."""
    image = Image.new("L", (850, 1100), 255)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(20)
    for row, line in enumerate(lines):
        pen.text((90, 100 + 40 * row), line, fill=0, font=font)
    return image.rotate(turned, expand=True)


def scan(pages: Sequence[Image.Image | str | None], strips: int = 1) -> bytes:
    """A PDF with a page for each image (in so many strips), text, or nothing."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=letter, invariant=1)
    width, height = letter
    for page in pages:
        if isinstance(page, str):
            text = canvas.beginText(72, 700)
            text.textLines(page)
            canvas.drawText(text)
        elif page is not None:
            step = page.height // strips
            for number in range(strips):
                part = page.crop((0, number * step, page.width, (number + 1) * step))
                y = height - (number + 1) * height / strips
                canvas.drawImage(ImageReader(part), 0, y, width, height / strips)
        canvas.showPage()
    canvas.save()
    return out.getvalue()
