"""PDFs made for the tests with reportlab and pypdf."""

import io
from collections.abc import Callable, Sequence

import pypdf
from reportlab.lib import colors
from reportlab.lib.pagesizes import letter
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Frame,
    ListFlowable,
    PageTemplate,
    Paragraph,
    Preformatted,
    SimpleDocTemplate,
    Spacer,
    Table,
)

STYLES = getSampleStyleSheet()
WORDS = (
    "The harbour office keeps a record of every vessel that enters the bay and of the cargo that it carries. "
    "Each entry names the master, the port of departure and the day on which the papers were seen. "
    "A clerk compares the record with the tide tables before the berth is given away. "
)


def draw(paint: Callable[[Canvas], None], size: tuple[float, float] = letter) -> bytes:
    """Return a PDF painted on a canvas."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=size, invariant=1)
    paint(canvas)
    canvas.save()
    return out.getvalue()


def flow(story: Sequence[object], **options: object) -> bytes:
    """Return a PDF of flowables."""
    out = io.BytesIO()
    SimpleDocTemplate(out, pagesize=letter, invariant=1, **options).build(list(story))
    return out.getvalue()


def text_lines(
    canvas: Canvas, x: float, y: float, lines: Sequence[str], font: str = "Helvetica", size: float = 10
) -> float:
    """Paint lines below one another and return the next y."""
    canvas.setFont(font, size)
    for line in lines:
        canvas.drawString(x, y, line)
        y -= 1.2 * size
    return y


def report() -> bytes:
    """A report with headings, paragraphs, a list, a table with its caption, and code."""
    body, heading = STYLES["BodyText"], STYLES["Heading1"]
    table = Table(
        [
            ["Port", "Vessels", "Tonnage"],
            ["Alba", "12", "3,400"],
            ["Brea", "7", "1,150"],
            ["Cors", "31", "9,020"],
        ]
    )
    table.setStyle(
        [("FONT", (0, 0), (-1, 0), "Helvetica-Bold"), ("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
    )
    return flow(
        [
            Paragraph("Harbour Report", STYLES["Title"]),
            Paragraph("1 Introduction", heading),
            Paragraph(WORDS, body),
            Paragraph(WORDS[::-1][::-1] + "The well-known lighthouse closed.", body),
            Paragraph("1.1 Duties", STYLES["Heading2"]),
            Paragraph("The office has these duties:", body),
            ListFlowable(
                [Paragraph(text, body) for text in ("Keep the log", "Set the lamps")],
                bulletType="bullet",
                start="•",
            ),
            Paragraph("2 Figures of the year", heading),
            Paragraph("Table 1: Traffic by port", body),
            table,
            Spacer(1, 12),
            Paragraph("The counts are read by this program:", body),
            Preformatted("for port in ports:\n    count(port)\n\nprint('done')", STYLES["Code"]),
            Paragraph("It prints one line.", body),
        ],
        title="Report of the Harbour",
        author="A. Clerk",
    )


def two_columns(row_by_row: bool) -> bytes:
    """Two columns under a title; row by row, a left line is painted just before the right one beside it."""
    left = [f"left column line {n} speaks about ships and their crews" for n in range(20)]
    right = [f"right column line {n} is on the tides and the moon" for n in range(20)]

    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 72, 720, ["Two Columns Side by Side"], "Helvetica-Bold", 18)
        if row_by_row:
            for n in range(20):
                text_lines(canvas, 60, 680 - 12 * n, [left[n]], size=9)
                text_lines(canvas, 320, 680 - 12 * n, [right[n]], size=9)
        else:
            text_lines(canvas, 60, 680, left)
            text_lines(canvas, 320, 680, right)

    return draw(paint)


def running_heads(pages: int = 8, bookmarks: bool = False) -> bytes:
    """Pages with a running head and a page number, one chapter a page, and sentences that run over pages."""
    out = io.BytesIO()

    def furnish(canvas: Canvas, _: object) -> None:
        canvas.setFont("Helvetica", 9)
        canvas.drawString(72, 760, "Annals of the Harbour")
        canvas.drawCentredString(306, 30, f"Page {canvas.getPageNumber()}")

    class Book(BaseDocTemplate):
        def afterFlowable(self, flowable: object) -> None:  # noqa: N802
            if bookmarks and isinstance(flowable, Paragraph) and flowable.style.name == "Heading1":
                key = flowable.getPlainText()
                self.canv.bookmarkPage(key)
                self.canv.addOutlineEntry(key, key, 0)

    book = Book(out, pagesize=letter, invariant=1)
    book.addPageTemplates(PageTemplate("all", [Frame(72, 60, 468, 680)], onPage=furnish))
    plain = ParagraphStyle("plain", STYLES["BodyText"], spaceBefore=0, spaceAfter=0)
    story: list[object] = []
    for number in range(1, pages + 1):
        style = STYLES["Heading1"]
        story += [Paragraph(f"Year {1900 + number} of the quay", style), *[Paragraph(WORDS * 5, plain)] * 3]
    book.build(story)
    return out.getvalue()


def form() -> bytes:
    """A form with a filled text field and one that is empty."""

    def paint(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "Berth application of the harbour office")
        canvas.acroForm.textfield(
            name="vessel", tooltip="Name of vessel", value="Marigold Seven", x=72, y=650
        )
        canvas.acroForm.textfield(name="flag", value="", x=72, y=600)

    return draw(paint)


def scan() -> bytes:
    """A page that is one image."""
    from PIL import Image

    picture = Image.new("L", (200, 260), 180)
    return draw(lambda canvas: canvas.drawImage(ImageReader(picture), 0, 0, 612, 792))


def scan_with_text(paint: Callable[[Canvas], None]) -> bytes:
    """A page that is one image, and what is painted over it."""
    from PIL import Image

    picture = ImageReader(Image.new("L", (200, 260), 180))

    def paint_both(canvas: Canvas) -> None:
        canvas.drawImage(picture, 0, 0, 612, 792)
        paint(canvas)

    return draw(paint_both)


def rewritten(data: bytes, change: Callable[[pypdf.PdfWriter], None]) -> bytes:
    """Return the PDF written anew by pypdf after a change."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    change(writer)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def encrypted(password: str, algorithm: str = "AES-256") -> bytes:
    """A report that needs the user password."""
    return rewritten(report(), lambda writer: writer.encrypt(password, "owner", algorithm=algorithm))


def hand_made(
    content: bytes, *, pages: int = 1, media_box: bytes = b"[0 0 612 792]", tail: bool = True
) -> bytes:
    """A minimal PDF written by hand: one content stream on each page, with or without its end."""
    kids = b" ".join(b"%d 0 R" % (10 + n) for n in range(pages))
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: b"<</Type/Pages/Kids[" + kids + b"]/Count %d>>" % pages,
        3: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        4: b"<</Length %d>>stream\n" % len(content) + content + b"\nendstream",
    }
    page = (
        b"<</Type/Page/Parent 2 0 R/MediaBox"
        + media_box
        + b"/Contents 4 0 R/Resources<</Font<</F1 3 0 R>>>>>>"
    )
    objects |= {10 + n: page for n in range(pages)}
    out, places = bytearray(b"%PDF-1.4\n"), {}
    for number, body in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    if tail:
        for number, place in places.items():
            out += b"xref\n" if number == 1 else b""
            out += b"%d 1\n%010d 00000 n \n" % (number, place)
        out += b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (10 + pages, start)
    return bytes(out)
