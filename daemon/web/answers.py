"""Answers over HTTP: their headers, which keep the page to itself, and how they are sent."""

import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any

# Nothing but our own files: no inline script or style, no other host, no frame around us, no form.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
# A report is one file with its style inside; it runs nothing and loads nothing, in a frame of ours.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"
HEADERS: Mapping[str, str] = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer; ``headers`` are beside those that every answer has."""

    body: bytes
    type: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    policy: str = POLICY

    async def send(self, send: Send) -> None:
        """Send it."""
        told = {
            **HEADERS,
            "content-security-policy": self.policy,
            "content-type": self.type,
            "content-length": str(len(self.body)),
            **self.headers,
        }
        headers = [(name.encode(), value.encode("latin-1")) for name, value in told.items()]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})


def json_answer(
    record: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> Answer:
    """A record as ASCII, so that lone surrogates of file names come through."""
    return Answer(json.dumps(record).encode("ascii"), "application/json", status, headers or {})


def page_answer(body: bytes, status: int = 200) -> Answer:
    """A page."""
    return Answer(body, "text/html; charset=utf-8", status)
