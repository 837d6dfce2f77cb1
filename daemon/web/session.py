"""The keys of one run of the page: an address that works once, then a cookie and a token together.

A cookie alone would not do: browsers send it to every port of 127.0.0.1, also to another user's server. The
token is kept by the page's own origin, port included, and comes as a header, which no form can send.
"""

import secrets
import time
from hmac import compare_digest

BYTES = 32
# How long the printed address works.
KEY_SECONDS = 600.0


class Session:
    """What lets a browser in; ``key`` is in the address, ``cookie`` and ``token`` come in exchange for it."""

    def __init__(self) -> None:
        self.key = secrets.token_urlsafe(BYTES)
        self.cookie = secrets.token_urlsafe(BYTES)
        self.token = secrets.token_urlsafe(BYTES)
        self._until = time.monotonic() + KEY_SECONDS
        self._used = False

    def enter(self, key: str) -> bool:
        """Whether the key lets in; it does so once, and only for a while."""
        if self._used or time.monotonic() > self._until or not _same(key, self.key):
            return False
        self._used = True
        return True

    def knows_cookie(self, value: str) -> bool:
        """Whether the cookie is ours."""
        return _same(value, self.cookie)

    def knows_token(self, value: str) -> bool:
        """Whether the token is ours."""
        return _same(value, self.token)


def _same(given: str, ours: str) -> bool:
    return compare_digest(given.encode("utf-8", "replace"), ours.encode())
