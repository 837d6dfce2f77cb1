"""What was asked of a search engine, from the address of its result page.

A search inside a site (YouTube, Wikipedia, GitHub, a shop) is none: its page is a page of that site.
"""

from urllib.parse import unquote_plus

from .url_rules import ENGINES
from .urls import Address, normalise, split

_LONGEST = 1000


def search_query(url: str) -> str | None:
    """Return the query of a search engine's result page, None for any other page."""
    address = split(normalise(url))
    if address is None:
        return None
    for engine in ENGINES:
        if engine.host.fullmatch(address.host) and engine.path.fullmatch(address.path):
            return _value(address, engine.parameters)
    return None


def _value(address: Address, names: tuple[str, ...]) -> str | None:
    for part in address.query.split("&"):
        name, _, value = part.partition("=")
        if name in names and (query := " ".join(unquote_plus(value).split())[:_LONGEST]):
            return query
    return None
