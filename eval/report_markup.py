"""HTML that is safe by construction: whatever is not markup already is escaped."""

from collections.abc import Callable, Iterable, Sequence
from html import escape


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Content = str | Markup
# Elements that have no content, and no end tag in HTML.
_EMPTY = frozenset({"meta", "line", "circle", "rect", "path"})


def tag(name: str, *content: Content, **attributes: object) -> Markup:
    """Return an element; ``class_`` and ``stroke_width`` become class and stroke-width, None is left out."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_short(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _EMPTY:
        return Markup(f"<{name}{shown}/>")
    return Markup(f"<{name}{shown}>{join(content)}</{name}>")


def join(parts: Iterable[Content], between: str = "") -> Markup:
    """Return the parts one after another, each escaped unless it is markup."""
    return Markup(between.join(part if isinstance(part, Markup) else escape(part) for part in parts))


def table(
    head: Sequence[Content],
    rows: Iterable[Sequence[Content]],
    left: int = 1,
    mark: Callable[[int, int], str | None] = lambda row, column: None,
) -> Markup:
    """Return a table that scrolls by itself; the first ``left`` columns are text, the others figures.

    ``mark`` gives the style of a body cell by its row and column.
    """
    names = [tag("th", name, scope="col", class_=_side(place, left)) for place, name in enumerate(head)]
    body = [
        tag(
            "tr",
            *(
                tag("td", cell, class_=_side(place, left), style=mark(number, place))
                for place, cell in enumerate(row)
            ),
        )
        for number, row in enumerate(rows)
    ]
    inner = tag("table", tag("thead", tag("tr", *names)), tag("tbody", *body))
    return tag("div", inner, class_="scroll", tabindex=0)


def shade(value: float, low: float, high: float) -> str:
    """Return the style of a heat map's cell: the more, the stronger; readable on light and on dark."""
    share = (value - low) / (high - low) if high > low else 0.5
    return f"background:rgba(52,120,190,{0.06 + 0.54 * share:.2f})"


def _side(place: int, left: int) -> str | None:
    return None if place < left else "n"


def _short(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
