"""What the elements of a fragment say, as the walk over it writes it."""

import re

from bs4 import Tag

from .html_clean import BREAK

_FILE = re.compile(r"\S{0,500}\.(?:png|jpe?g|gif|svg|webp|avif|bmp|tiff?|ico)", re.IGNORECASE)


def names_of(tag: Tag | None) -> str:
    """Return the class names of an element, "" of none."""
    return str(tag.get("class", "")) if tag is not None else ""


def alt_of(image: Tag) -> str:
    """Return an image's alternative text on one line, "" when it is the name of a file."""
    text = " ".join(str(image.get("alt", "")).split())
    return "" if _FILE.fullmatch(text) else text


def line_of(tag: Tag) -> str:
    """Return an element's text on one line."""
    return " ".join(tag.get_text(" ").split())


def paragraphs_of(text: str) -> list[str]:
    """Squeeze white space; a line break stays one, two in a row part paragraphs."""
    if BREAK not in text:
        squeezed = " ".join(text.split())
        return [squeezed] if squeezed else []
    lines = [" ".join(line.split()) for line in text.split(BREAK)]
    return [part.strip("\n") for part in "\n".join(lines).split("\n\n") if part.strip("\n")]


def terms_of(tag: Tag) -> list[Tag]:
    """Return the dt and dd of a list, also where a div groups them."""
    found: list[Tag] = []
    for child in tag.children:
        if isinstance(child, Tag):
            inner = child.find_all(["dt", "dd"], recursive=False) if child.name == "div" else []
            found += inner or [child]
    return found


def level_of(value: object) -> int:
    """Return the level that aria-level gives; 2, as the standard says, when it gives none."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 4:
        return int(value)
    return 2
