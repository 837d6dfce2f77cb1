"""The words an address is made of: all the text that there is of a page nobody saved."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice
from urllib.parse import unquote_plus

from .urls import Address, normalise, split

# An address that says more than this is data in disguise.
_MOST_WORDS = 80
_LONGEST_ADDRESS = 4000
_LONGEST_WORD = 48
# The pages of a site share most of their words.
_KEPT_WORDS = 16_384

# Endings that say how a page is served, not what it is.
_SERVED = re.compile(r"\.(?:x?html?|s?html|php\d?|aspx?|jspx?|cgi|pl|do|action|cfm)$", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*")
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\WA-Z\d_]+|\d+")
_RUN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")

_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_HEXADECIMAL = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{12,}", re.IGNORECASE)
_ISBN = re.compile(r"97[89]\d{10}")
# Years, issues, phone numbers and ISBN-10 are asked for; what is longer numbers rows or milliseconds.
_LONGEST_NUMBER = 10
# "dQw4w9WgXcQ" has runs of 1.4 characters, "getElementById" of 3.5: words are longer than two letters.
_SHORTEST_ID = 8
_SHORTEST_RUNS = 2.4


def words(url: str) -> str:
    """Return the words of an address, host first, in their order, each once; ids and tracking left out.

    ``camelCase`` stays and is also split, since both are asked for.
    """
    return normal_words(normalise(url[:_LONGEST_ADDRESS]))


def normal_words(url: str) -> str:
    """Return the words of an address that is normalised."""
    address = split(url)
    if address is None:
        return ""
    seen: dict[str, str] = {}
    for word in islice(_words(address), _MOST_WORDS):
        seen.setdefault(word.lower(), word)
    return " ".join(seen.values())


def readable_host(host: str) -> str:
    """Return a host with the letters that its punycode stands for."""
    if "xn--" not in host:
        return host
    return ".".join(_label(label) for label in host.split("."))


def _words(address: Address) -> Iterator[str]:
    segments = address.path.split("/")
    segments[-1] = _SERVED.sub("", segments[-1])
    values = [part.partition("=")[2] or part for part in address.query.split("&") if part]
    # No word goes over a space.
    text = unquote_plus(" ".join((*segments, *values, address.fragment)))
    found = _WORD.findall(_UUID.sub(" ", text))
    return chain([readable_host(address.host)], chain.from_iterable(map(_split, found)))


@lru_cache(_KEPT_WORDS)
def _split(word: str) -> tuple[str, ...]:
    if is_id(word):
        return ()
    pieces = _PIECE.findall(word)
    # "iPhone" is one word, "v2" another.
    if len(pieces) > 1 and min(map(len, pieces)) > 1 and not word.islower():
        return (word, *pieces)
    return (word,)


def is_id(word: str) -> bool:
    """Say whether a word is no word but an identifier, a hash or a number of a row."""
    if len(word) > _LONGEST_WORD or _HEXADECIMAL.fullmatch(word):
        return True
    if word.isdigit():
        return len(word) > _LONGEST_NUMBER and not _ISBN.fullmatch(word)
    if len(word) < _SHORTEST_ID or not word.isascii() or "." in word:
        return False
    runs = _RUN.findall(word)
    mixed = any(run.isdigit() for run in runs) or not (word.islower() or word.isupper())
    return mixed and len(word) < _SHORTEST_RUNS * len(runs)


def _label(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return label
