"""What was asked of a search engine, from the address of its result page.

A search inside a site (YouTube, Wikipedia, GitHub, a shop) is none: its page is a page of that site.
"""

import re
from dataclasses import dataclass
from urllib.parse import unquote_plus

from .urls import Address, split

_LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Engine:
    """A search engine: its hosts, the paths of its result pages, and the parameters that hold the query."""

    name: str
    host: re.Pattern[str]
    path: re.Pattern[str]
    parameters: tuple[str, ...]


def _engine(name: str, host: str, path: str, *parameters: str) -> Engine:
    return Engine(name, re.compile(host), re.compile(path), parameters)


_COUNTRY = r"(?:com?\.)?[a-z]{2,3}"

# Engines that search the web. A search inside a site (YouTube, Wikipedia, GitHub, a shop) is not one: its
# result page is a page of that site, often kept and shared as such.
ENGINES: tuple[Engine, ...] = (
    _engine("google", rf"google\.{_COUNTRY}", r"/(?:search|webhp|custom|cse|m)?", "q"),
    _engine("google scholar", rf"scholar\.google\.{_COUNTRY}", r"/scholar", "q"),
    _engine("google images", rf"(?:images|news)\.google\.{_COUNTRY}", r"/(?:search)?", "q"),
    _engine("bing", r"(?:cn\.|global\.)?bing\.com", r"/(?:(?:images|videos|news|shop)/)?search", "q"),
    _engine("duckduckgo", r"(?:(?:html|lite|safe|start|noai)\.)?duckduckgo\.com", r"/(?:html|lite)?", "q"),
    _engine(
        "yahoo",
        r"(?:[a-z]{2}\.)?(?:[a-z]+\.)?search\.yahoo\.(?:com|co\.jp)",
        r"/(?:search|\w+/search).*",
        "p",
    ),
    _engine("baidu", r"(?:image\.|news\.)?baidu\.com", r"/(?:s|search/index|from=.*/s)", "wd", "word"),
    _engine(
        "yandex",
        rf"(?:yandex\.{_COUNTRY}|yandex\.com\.tr|ya\.ru)",
        r"/(?:search|yandsearch|images/search)(?:/.*)?",
        "text",
    ),
    _engine("ecosia", r"ecosia\.org", r"/(?:search|images|videos|news)", "q"),
    _engine(
        "startpage",
        r"(?:[a-z0-9-]+\.)?startpage\.com",
        r"/(?:do|sp)/(?:d?search|metasearch\.pl)",
        "query",
        "q",
    ),
    _engine("brave", r"search\.brave\.com", r"/(?:search|images|news|videos|goggles)", "q"),
    _engine("qwant", r"(?:lite\.)?qwant\.com", r"/", "q"),
    _engine("kagi", r"kagi\.com", r"/(?:search|images|videos|news)", "q"),
    _engine("mojeek", r"mojeek\.(?:com|co\.uk)", r"/search", "q"),
    _engine("swisscows", r"swisscows\.(?:com|ch)", r"/(?:[a-z]{2}/)?(?:web|search)", "query"),
    _engine("aol", r"search\.aol\.(?:com|co\.uk)", r"/(?:aol/)?search", "q", "query"),
    _engine("ask", r"(?:[a-z]{2}\.)?ask\.com", r"/web", "q"),
    _engine("naver", r"search\.naver\.com", r"/search\.naver", "query"),
    _engine("seznam", r"search\.seznam\.cz", r"/", "q"),
    _engine("sogou", r"sogou\.com", r"/(?:web|sogou)", "query"),
    _engine("360", r"(?:so|haosou)\.com", r"/s", "q"),
    _engine("metager", r"metager\.(?:org|de)", r"/(?:[a-z-]+/)?meta/meta\.ger3", "eingabe"),
    _engine("searx", r"(?:searx|searxng|search)\..+", r"/search", "q"),
)


def search_query(url: str) -> str | None:
    """Return the query in the address of a search engine's result page, None for any other page.

    The address is normalised.
    """
    address = split(url)
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
