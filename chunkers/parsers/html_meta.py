"""What a page says about itself: title, language, canonical address, dates, author."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

_LONGEST = 1000
_JSON_LD_LIMIT = 1_000_000

# The first name found wins; a page's own structured names come before general ones.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "date": (
        "article:published_time", "datepublished", "og:published_time", "dcterms.created", "dc.date.issued",
        "dc.date", "citation_publication_date", "citation_date", "date", "pubdate",
    ),
    "modified": (
        "article:modified_time", "datemodified", "og:updated_time", "dcterms.modified", "last-modified",
    ),
    "author": (
        "author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author",
    ),
    "description": ("og:description", "description", "dc.description", "twitter:description"),
    "site": ("og:site_name", "application-name"),
}  # fmt: skip
_JSON_LD_NAMES = {
    "date": "datePublished",
    "modified": "dateModified",
    "author": "author",
    "description": "description",
}
_ARTICLE_TEXT = (
    "articleBody", "reviewBody", "acceptedAnswer", "text", "recipeInstructions", "step", "description",
)  # fmt: skip


def page_title(root: Any) -> str:
    """Return og:title, else the title element, else the first h1."""
    named = squeeze(_meta_values(root).get("og:title", ""))
    if named:
        return named
    for tag in ("title", "h1"):
        for element in root.iter(tag):
            text = squeeze("".join(element.itertext()))
            if text:
                return text
    return ""


def page_language(root: Any) -> str:
    """Return the primary subtag of the declared language, "" when none is declared."""
    declared = (
        root.get("lang")
        or root.get("{http://www.w3.org/XML/1998/namespace}lang")
        or root.get("xml:lang")
        or ""
    )
    values = _meta_values(root)
    declared = declared or values.get("content-language", "") or values.get("og:locale", "")
    primary = declared.strip().lower().replace("_", "-").split("-")[0].split(",")[0]
    return primary if primary.isascii() and primary.isalpha() and 2 <= len(primary) <= 3 else ""


def page_metadata(root: Any) -> dict[str, str]:
    """Return what the head and the structured data say, under capsa's own keys."""
    values = _meta_values(root)
    found = {
        key: next((values[name] for name in names if values.get(name)), "") for key, names in _NAMES.items()
    }
    found["canonical"] = _canonical(root) or values.get("og:url", "")
    for record in json_ld(root):
        for key, name in _JSON_LD_NAMES.items():
            found[key] = found[key] or _as_text(record.get(name))
    if not found["date"]:
        found["date"] = next((time.get("datetime", "") for time in root.iter("time")), "")
    return {key: squeeze(value) for key, value in found.items() if squeeze(value)}


def _meta_values(root: Any) -> dict[str, str]:
    values: dict[str, str] = {}
    for meta in root.iter("meta"):
        name = meta.get("property") or meta.get("name") or meta.get("itemprop") or meta.get("http-equiv")
        if name and meta.get("content"):
            values.setdefault(name.strip().lower(), meta.get("content"))
    return values


def _canonical(root: Any) -> str:
    for link in root.iter("link"):
        if "canonical" in (link.get("rel") or "").lower().split():
            return str(link.get("href") or "")
    return ""


def json_ld(root: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the records of the page's JSON-LD scripts; what is not JSON says nothing."""
    for script in root.iter("script"):
        text = script.text or ""
        kind = script.get("type", "").split(";")[0].strip().lower()
        if kind != "application/ld+json" or len(text) > _JSON_LD_LIMIT:
            continue
        try:
            data = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            continue
        yield from _records(data)


def _records(data: Any) -> Iterator[Mapping[str, Any]]:
    for item in data if isinstance(data, list) else [data]:
        if isinstance(item, dict):
            yield item
            # The questions of a page of them are its main entity.
            parts = [item.get("@graph"), item.get("mainEntity")]
            yield from (
                part for some in parts if isinstance(some, list) for part in some if isinstance(part, dict)
            )


def article_texts(root: Any) -> list[str]:
    """Return the article texts that the structured data holds, for a page whose body holds none."""
    texts = []
    for record in json_ld(root):
        headline = _as_text(record.get("headline") or record.get("name"))
        body = next((text for key in _ARTICLE_TEXT if (text := _as_text(record.get(key)))), "")
        texts += [text for text in (headline, body) if text and body]
    return texts


def _as_text(value: Any) -> str:
    """Return a text, a named thing's name, or a list of these, as one text."""
    if isinstance(value, list):
        return "\n\n".join(
            filter(None, (_as_text(item) for item in value[:1000] if not isinstance(item, list)))
        )
    if isinstance(value, dict):
        named = value.get("name") or value.get("text")
        return named if isinstance(named, str) else ""
    return value if isinstance(value, str) else ""


def squeeze(text: str) -> str:
    """Return the text on one line with single spaces, clipped to what a field holds."""
    return " ".join(text.split())[:_LONGEST]
