"""Tagged PDFs made for the tests: text by marked content, and a structure tree over it."""

import io
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pypdf
from pdf_samples import hand_made
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    NameObject,
    NumberObject,
    TextStringObject,
)


class Words(NamedTuple):
    """A line of text; ``mark`` is the id of its marked content, None for an artifact."""

    mark: int | None
    x: float
    y: float
    text: str
    size: float = 10


class Node(NamedTuple):
    """An element of the structure tree; its children are marked contents and elements.

    ``spans`` are the columns and rows that a cell covers.
    """

    role: str
    children: Sequence["int | Node"]
    alt: str = ""
    spans: tuple[int, int] = (1, 1)


def content(lines: Sequence[Words]) -> bytes:
    """Return a content stream that paints the lines."""
    parts = []
    for mark, x, y, text, size in lines:
        begin = "/Artifact BMC" if mark is None else f"/P <</MCID {mark}>> BDC"
        parts.append(f"{begin} BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET EMC")
    return "\n".join(parts).encode()


def tagged(pages: Sequence[tuple[Sequence[Words], Node]]) -> bytes:
    """Return a PDF whose pages each have their lines and the tree over them."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(hand_made(b"", pages=len(pages))))
    root = DictionaryObject({NameObject("/Type"): NameObject("/StructTreeRoot")})
    reference = writer._add_object(root)
    tops, numbers = ArrayObject(), ArrayObject()
    for number, (lines, top) in enumerate(pages):
        page = writer.pages[number]
        stream = DecodedStreamObject()
        stream.set_data(content(lines))
        page[NameObject("/Contents")] = writer._add_object(stream)
        page[NameObject("/StructParents")] = NumberObject(number)
        parents: dict[int, object] = {}
        tops.append(_element(writer, top, reference, page, parents))
        numbers.append(NumberObject(number))
        numbers.append(ArrayObject(parents[mark] for mark in sorted(parents)))
    root[NameObject("/K")] = tops
    root[NameObject("/ParentTree")] = DictionaryObject({NameObject("/Nums"): numbers})
    writer.root_object[NameObject("/StructTreeRoot")] = reference
    marked = DictionaryObject({NameObject("/Marked"): pypdf.generic.BooleanObject(True)})
    writer.root_object[NameObject("/MarkInfo")] = marked
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _element(writer, node: Node, parent, page, parents: dict[int, object]):
    element = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/StructElem"),
            NameObject("/S"): NameObject(f"/{node.role}"),
            NameObject("/P"): parent,
            NameObject("/Pg"): page.indirect_reference,
        }
    )
    if node.alt:
        element[NameObject("/Alt")] = TextStringObject(node.alt)
    if node.spans != (1, 1):
        element[NameObject("/A")] = DictionaryObject(
            {
                NameObject("/O"): NameObject("/Table"),
                NameObject("/ColSpan"): NumberObject(node.spans[0]),
                NameObject("/RowSpan"): NumberObject(node.spans[1]),
            }
        )
    reference = writer._add_object(element)
    children = ArrayObject()
    for child in node.children:
        if isinstance(child, Node):
            children.append(_element(writer, child, reference, page, parents))
        else:
            parents[child] = reference
            children.append(NumberObject(child))
    element[NameObject("/K")] = children
    return reference


def marks(node: Node) -> Iterator[int]:
    """Yield the marked contents of the tree in order."""
    for child in node.children:
        if isinstance(child, Node):
            yield from marks(child)
        else:
            yield child
