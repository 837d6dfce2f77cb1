"""Which requests the page answers at all: decided from method, path and headers, before anything is read.

The rules, in order: our own host and port by number (a name may be made to point here); a method that the
path has; an origin that is ours or, for a GET, none; the cookie; for the API JSON, and the token as well.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .session import Session

HOST = "127.0.0.1"
API = "/api/"
ENTER = "/enter"
# Without the cookie: the page that exchanges the key for it, and what that page loads.
OPEN_FILES = frozenset(["/static/enter.js", "/static/page.css", "/static/icon.svg"])
TOKEN = "x-capsa-token"
JSON = "application/json"

Headers = Sequence[tuple[bytes, bytes]]


class Refusal(NamedTuple):
    """Why a request is not answered: the status and a sentence."""

    status: int
    reason: str


class Gate:
    """Lets in what our own page in our user's browser asks for; ``methods`` are by path."""

    def __init__(self, session: Session, port: int, methods: Mapping[str, str]) -> None:
        self._session = session
        self._host = f"{HOST}:{port}"
        self.origin = f"http://{self._host}"
        # Browsers keep the cookies of all ports of a host together.
        self.cookie_name = f"capsa_{port}"
        self._methods = methods

    def refuse(self, method: str, path: str, headers: Headers) -> Refusal | None:
        """Return why the request is refused, None when it is not."""
        if _values(headers, b"host") != [self._host]:
            return Refusal(421, f"this page is at {self.origin} only")
        if method not in ("GET", "POST") or self._methods.get(path, method) != method:
            return Refusal(405, "this method does nothing here")
        if reason := self._foreign(method, headers):
            return Refusal(403, reason)
        if path == ENTER or path in OPEN_FILES:
            return _refuse_type(headers) if method == "POST" else None
        if not self._has_cookie(headers):
            return Refusal(401, "this browser has no key; run `capsa open` for a new one")
        if path not in self._methods:
            return Refusal(404, "there is nothing here")
        return self._refuse_api(headers) if path.startswith(API) else None

    def _foreign(self, method: str, headers: Headers) -> str:
        """Say why the request comes from elsewhere, nothing when it does not."""
        told = "only the page itself may ask" if method == "POST" else "open this from the address bar"
        origins = _values(headers, b"origin")
        if origins not in ([self.origin], [] if method == "GET" else [self.origin]):
            return told
        # Tells other ports of this host apart, which cookies do not; old browsers do not send it.
        sites = _values(headers, b"sec-fetch-site")
        if sites not in ([], ["same-origin"], ["none"] if method == "GET" else []):
            return told
        return ""

    def _has_cookie(self, headers: Headers) -> bool:
        pairs = [pair.strip() for value in _values(headers, b"cookie") for pair in value.split(";")]
        ours = f"{self.cookie_name}="
        given = [pair.removeprefix(ours) for pair in pairs if pair.startswith(ours)]
        return len(given) == 1 and self._session.knows_cookie(given[0])

    def _refuse_api(self, headers: Headers) -> Refusal | None:
        tokens = _values(headers, TOKEN.encode())
        if len(tokens) != 1 or not self._session.knows_token(tokens[0]):
            return Refusal(401, "this tab has no key; run `capsa open` for a new one")
        return _refuse_type(headers)


def _refuse_type(headers: Headers) -> Refusal | None:
    types = [value.partition(";")[0].strip().lower() for value in _values(headers, b"content-type")]
    return None if types == [JSON] else Refusal(415, "only JSON is read")


def _values(headers: Headers, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key == name]
