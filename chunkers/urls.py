"""Addresses of the web: which ones are the same page, on which site it is, and what kind of address it is.

Nothing here raises on any text, and everything takes time linear in it. The rules are in url_rules.py.
"""

import ipaddress
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Literal, NamedTuple
from urllib.parse import quote, unquote

from .url_rules import (
    BROWSER_SCHEMES,
    DEVICE_LABELS,
    INDEX_NAMES,
    INLINE_SCHEMES,
    JUNK_VALUES,
    LOCAL_SUFFIXES,
    MOVED,
    OVERLAY,
    ROUTES,
    SAME_HOST,
    SESSION_NAMES,
    SESSION_PREFIX,
    SESSION_SEGMENT,
    SITE_TRACKING,
    TRACKING_NAMES,
    TRACKING_PREFIXES,
)

UrlKind = Literal["web", "local", "file", "inline", "browser", "other"]

# A host has 253 characters at most; a percent-encoded one three times that.
_LONGEST_HOST = 1000
_DEFAULT_PORTS = ("", "80", "443")
# There are many addresses to a host.
_KEPT_HOSTS = 4096
_HOSTS_THAT_MOVED = tuple(rule.host for rule in MOVED)
_JUNK_PREFIXES = (*TRACKING_PREFIXES, SESSION_PREFIX)
# Site of a moved page may be moved itself, not more often.
_MOST_MOVES = 3

_BLANK = "".join(map(chr, range(33)))
_DROPPED = dict.fromkeys(map(ord, "\t\r\n"))
_SURROGATE = re.compile("[\ud800-\udfff]")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]{0,40}):")
_WEB = re.compile(r"https?:[/\\]*([^/\\?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.IGNORECASE | re.DOTALL)
_BARE_HOST = re.compile(r"[^\s/\\:?#@]{1,253}")
_PORT = re.compile(r":([0-9]{0,10})$")
_ODD_IN_HOST = re.compile(r"[^a-z0-9._-]")
_DOTS = str.maketrans("\u3002\uff0e\uff61", "...")

# Encoded or not, these are the same to every server; the others may part what they stand in.
_PLAIN_IN_PATH = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!'()*,:@$[]")
_PLAIN_IN_QUERY = _PLAIN_IN_PATH | frozenset("/?")
_TO_QUOTE = re.compile(r"""%([0-9A-Fa-f]{2})|%|[^!-~]+|["<>\\^`{|}]+""")


class Address(NamedTuple):
    """The parts of a web address; ``host`` and ``port`` are normalised, the others as they were."""

    host: str
    port: str
    path: str
    query: str
    fragment: str


def normalise(url: str) -> str:
    """Return the one address that all addresses of a page share, always with https.

    What is no web address comes back as it is, its scheme in lower case. Idempotent.
    """
    text = _clean(url)
    address = split(text)
    if address is None:
        return _with_lower_scheme(text)
    normal = _normal(address)
    for _ in range(_MOST_MOVES):
        moved = _moved(normal)
        if moved is None:
            break
        normal = _normal(moved)
    return _join(normal)


def site(url: str) -> str:
    """Return the host a page is shown under, without www and device labels; "" when it has none.

    A bare host is taken too, as a person types it.
    """
    text = _clean(url)
    if _BARE_HOST.fullmatch(text):
        return _host(text)
    address = split(normalise(text))
    return address.host if address else ""


def kind_of(url: str) -> UrlKind:
    """Say what kind of address it is: only "web" is a page that anyone may have written."""
    text = _clean(url)
    address = split(text)
    if address is not None:
        return "local" if is_local(address.host) else "web"
    match = _SCHEME.match(text)
    scheme = match[1].lower() if match else ""
    if scheme == "file":
        return "file"
    if scheme in INLINE_SCHEMES:
        return "inline"
    return "browser" if scheme in BROWSER_SCHEMES else "other"


def is_local(host: str) -> bool:
    """Say whether a host is this machine's or of a network that is nobody else's."""
    try:
        return not ipaddress.ip_address(host.strip("[]")).is_global
    except ValueError:
        labels = host.lower().rstrip(".").split(".")
    return len(labels) == 1 or labels[-1] in LOCAL_SUFFIXES or ".".join(labels[-2:]) in LOCAL_SUFFIXES


def split(url: str) -> Address | None:
    """Take a web address apart; None for any other text. A name and password in it are dropped."""
    match = _WEB.match(url)
    if match is None or len(match[1]) > _LONGEST_HOST:
        return None
    place = match[1].rpartition("@")[2]
    port = _PORT.search(place)
    host = _host(place[: port.start()] if port else place)
    number = port[1].lstrip("0") if port else ""
    if not host:
        return None
    return Address(host, "" if number in _DEFAULT_PORTS else number, match[2], match[3] or "", match[4] or "")


def is_junk(part: str, host: str) -> bool:
    """Say whether a parameter, ``name=value``, only says who reads a page and where they came from."""
    name, _, value = part.partition("=")
    name = name.lower()
    if name in TRACKING_NAMES or name in SESSION_NAMES or name.startswith(_JUNK_PREFIXES):
        return True
    if name in JUNK_VALUES and JUNK_VALUES[name].fullmatch(value):
        return True
    return name in _tracking_on(host)


@lru_cache(_KEPT_HOSTS)
def _tracking_on(host: str) -> frozenset[str]:
    labels = host.split(".")
    keys = (host, ".".join(labels[-2:]), labels[0] + ".")
    return frozenset().union(*(SITE_TRACKING.get(key, ()) for key in keys))


def _clean(url: str) -> str:
    """As browsers do: blanks around are nothing, line ends inside neither."""
    text = url.strip(_BLANK)
    if text.isascii() and text.isprintable():
        return text
    return _SURROGATE.sub("\ufffd", text.translate(_DROPPED))


def _with_lower_scheme(text: str) -> str:
    match = _SCHEME.match(text)
    return match[0].lower() + text[match.end() :] if match else text


@lru_cache(_KEPT_HOSTS)
def _host(place: str) -> str:
    if place.startswith("["):
        try:
            return f"[{ipaddress.IPv6Address(place.strip('[]'))}]"
        except ValueError:
            pass
    named = unicodedata.normalize("NFKC", unquote(place).translate(_DOTS)).lower()
    labels = [_ascii(label) for label in named.split(".") if label]
    # The last two are the site's own name, even when that is "m.me".
    kept = [label for label in labels[:-2] if label not in DEVICE_LABELS] + labels[-2:]
    host = ".".join(kept)
    return SAME_HOST.get(host, host)


def _ascii(label: str) -> str:
    if not label.isascii():
        label = "xn--" + label.encode("punycode", "replace").decode("ascii")
    return _ODD_IN_HOST.sub(lambda odd: quote(odd[0], safe=""), label)


def _normal(address: Address) -> Address:
    return address._replace(
        path=_path(address.path),
        query=_query(address.query, address.host),
        fragment=_fragment(address.fragment),
    )


def _path(raw: str) -> str:
    segments: list[str] = []
    for segment in _quote_path(raw.replace("\\", "/")).split("/")[1:]:
        if ";" in segment:
            segment = _without_session(segment)
        if segment == "..":
            del segments[-1:]
        elif segment != "." and not SESSION_SEGMENT.fullmatch(segment):
            segments.append(segment)
    while segments and (not segments[-1] or segments[-1].lower() in INDEX_NAMES):
        segments.pop()
    return "/" + "/".join(segments)


def _without_session(segment: str) -> str:
    first, *parameters = segment.split(";")
    kept = [each for each in parameters if each.partition("=")[0].lower() not in SESSION_NAMES]
    return ";".join([first, *kept])


def _query(raw: str, host: str) -> str:
    if not raw:
        return ""
    parts = [part for part in _quote_query(raw).replace("%20", "+").split("&") if part]
    kept = [part for part in parts if not is_junk(part, host)]
    # A part without a name may mean something by its place.
    if len(kept) > 1 and all("=" in part for part in kept):
        kept.sort(key=lambda part: part.partition("=")[0])
    return "&".join(kept)


def _fragment(raw: str) -> str:
    if not raw.startswith(ROUTES):
        return ""
    route = _quote_query(raw).partition(":~:")[0].rstrip("/")
    return "" if route in ("", "!") or OVERLAY.match(route) else route


def _moved(address: Address) -> Address | None:
    """Return where the page itself is, when this is another address that its site has for it."""
    if address.port or not address.host.startswith(_HOSTS_THAT_MOVED):
        return None
    old = f"{address.host}{address.path}" + (f"?{address.query}" if address.query else "")
    for rule in MOVED:
        match = rule.pattern.fullmatch(old) if address.host.startswith(rule.host) else None
        if match is not None:
            new = match.expand(rule.target)
            return None if new == old else split("https://" + new)
    return None


def _join(address: Address) -> str:
    host, port, path, query, fragment = address
    return "".join(
        ["https://", host, port and f":{port}", path, query and f"?{query}", fragment and f"#{fragment}"]
    )


def _requote(plain: frozenset[str], match: re.Match[str]) -> str:
    if match[1]:
        char = chr(int(match[1], 16))
        return char if char in plain else f"%{match[1].upper()}"
    return "%25" if match[0] == "%" else quote(match[0], safe="")


_quote_path: Callable[[str], str] = partial(_TO_QUOTE.sub, partial(_requote, _PLAIN_IN_PATH))
_quote_query: Callable[[str], str] = partial(_TO_QUOTE.sub, partial(_requote, _PLAIN_IN_QUERY))
