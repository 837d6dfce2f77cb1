"""The measures of ``capsa eval structure`` for a reader who sees them for the first time."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple


class Row(NamedTuple):
    """A line of the table: what is measured, how it is written, and the goal."""

    key: str
    label: str
    form: str = ".3f"
    goal: str = ""


_ROWS: Mapping[str, tuple[Row, ...]] = {
    "time": (
        Row("documents", "PDF documents", ",.0f"),
        Row("pages", "pages", ",.0f"),
        Row("page_ms_median", "CPU ms a page, median", ".2f"),
        Row("page_ms_p95", "CPU ms a page, p95", ".2f"),
        Row("cost", "structure against plain text: parsing", "+.0%"),
        Row("pypdf_cost", "  against pypdf's plain text", "+.0%"),
        Row("index_cost", "  parsing, chunking, embedding", "+.0%", "<= +38 %"),
        Row("overrun_ms", "CPU ms over the 400 ms budget, the most", ".0f", "<= 50"),
        Row("cut", "documents that the 400 ms cut", ".1%", "< 5 %"),
        Row("cut_1-10", "  of 1 to 10 pages", ".1%", "none"),
        Row("cut_11-50", "  of 11 to 50 pages", ".1%", "none"),
        Row("cut_51-", "  of more pages", ".1%"),
    ),
    "headings": (
        Row("documents", "PDF documents with bookmarks", ",.0f"),
        Row("bookmarks", "bookmarks that are printed", ",.0f"),
        Row("recall", "recall", goal=">= 0.90"),
        Row("precision", "precision, since bookmarks are not all", goal=">= 0.85"),
        Row("recall_macro", "recall, mean over documents"),
        Row("precision_macro", "precision, mean over documents"),
        Row("level", "of those found, at the bookmark's level"),
        Row("labelled", "headings of labelled pages", ",.0f"),
        Row("labelled_recall", "recall", goal=">= 0.90"),
        Row("labelled_precision", "precision", goal=">= 0.85"),
    ),
    "tables": (
        Row("pages", "labelled PDF pages", ",.0f"),
        Row("table_pages", "of them with tables", ",.0f"),
        Row("precision", "precision by page", goal=">= 0.90"),
        Row("recall", "recall by page", goal=">= 0.90"),
        Row("number", "table pages with the right number"),
        Row("rows", "tables with the right rows"),
        Row("columns", "tables with the right columns"),
        Row("header", "tables with the right header rows"),
    ),
    "captions": (
        Row("captions", "labelled captions in PDF", ",.0f"),
        Row("bound", "bound right", goal=">= 0.95"),
        Row("table", "  to tables"),
        Row("figure", "  to figures"),
        Row("code", "  to code"),
        Row("html_captions", "labelled captions in HTML, Markdown", ",.0f"),
        Row("html_bound", "bound right", goal=">= 0.95"),
    ),
    "order": (
        Row("tagged", "tagged PDF documents", ",.0f"),
        Row("tagged_f1", "order F1 against the hidden tree, mean", goal=">= 0.95"),
        Row("tagged_least", "  the least"),
        Row("columns", "labelled PDF pages in columns", ",.0f"),
        Row("columns_f1", "order F1, median", goal=">= 0.93"),
        Row("columns_least", "  the least"),
    ),
    "html": (
        Row("pages", "labelled HTML pages", ",.0f"),
        Row("f1", "F1 of words", goal=">= 0.95"),
        Row("order_f1", "F1 of runs of four words"),
        Row("heading", "headings kept", goal=">= 0.95"),
        Row("table", "tables kept", goal=">= 0.95"),
        Row("header_row", "header rows kept"),
        Row("figcaption", "figure captions kept", goal=">= 0.95"),
        Row("pre", "preformatted text kept", goal=">= 0.95"),
    ),
    "same": (
        Row("pdf_heading_recall", "headings of the HTML found in the PDF"),
        Row("pdf_heading_precision", "headings of the PDF that the HTML has"),
        Row("pdf_tables", "tables of the HTML found in the PDF"),
        Row("pdf_other_tables", "tables in the PDF alone", ",.0f", "none"),
        Row("pdf_chunks", "words of HTML chunks in the most similar", goal=">= 0.90"),
        Row("pdf_text", "F1 of runs of four words"),
        Row("text_heading_recall", "headings of the HTML found in the text"),
        Row("text_heading_precision", "headings of the text that the HTML has"),
        Row("text_tables", "tables of the HTML found in the text"),
        Row("text_other_tables", "tables in the text alone", ",.0f", "none"),
        Row("text_chunks", "words of HTML chunks in the most similar", goal=">= 0.90"),
        Row("text_text", "F1 of runs of four words"),
    ),
    "coverage": (Row("evidence", "evidence strings", ",.0f"),),
}
TITLES = {"html": "Main content of HTML", "same": "One manual in several formats", "order": "Reading order"}
_GOALS = {"held": ">= 0.990", "held het": ">= 0.990", "held het, PDF": ">= 0.980"}
_LABEL, _CELL = 46, 10


def lines(result: Mapping[str, Any], details: bool) -> Iterator[str]:
    """Yield the table line by line, what could not be measured, and the details if they are asked for."""
    yield f"Structure of the documents in {result['folder']}"
    for name, part in result["parts"].items():
        measures = part["measures"]
        yield ""
        heads = measures if len(measures) > 2 else list(measures)[:1]
        yield (
            f"{TITLES.get(name, name.capitalize()):<{_LABEL}}"
            + "".join(f"{head:>{_CELL}}" for head in heads)
            + "  goal"
        )
        for row in (*_ROWS[name], *_held_rows(measures["all"])):
            cells = "".join(f"{_cell(measures[head].get(row.key), row.form):>{_CELL}}" for head in heads)
            yield f"  {row.label:<{_LABEL - 2}}{cells}  {row.goal}".rstrip()
        yield from (f"  not measured: {gap}" for gap in part["gaps"])
        if details:
            yield from (f"  {miss}" for miss in part["misses"])


def _held_rows(measures: Mapping[str, Any]) -> list[Row]:
    """Return a row for each question set that was found."""
    names = [key for key in measures if key.startswith("held")]
    return [
        Row(
            key,
            f"whole in a chunk{key.removeprefix('held').replace(' ', ': ', 1)}",
            ".4f",
            _GOALS.get(key, ">= 0.990"),
        )
        for key in names
    ]


def _cell(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
