"""The page as an ASGI application: its files, the exchange of the key, and one way to the operations."""

import json
from collections.abc import Awaitable, Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import CapsaError, UnavailableError, UsageError

from .answers import REPORT_POLICY, Answer, Send, json_answer, page_answer
from .gate import API, ENTER, Gate, Refusal
from .operations import Operations
from .session import Session

# A request says what is wanted; a long query is 10,000 letters.
MAX_BODY = 64 << 10
REPORT = "/report"
# What the script makes of the shell is decided there, by the address.
SHELLS = ("/", "/state", "/evaluation")
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
STATUSES: Mapping[type[CapsaError], int] = {UsageError: 400, UnavailableError: 404}

Receive = Callable[[], Awaitable[Mapping[str, Any]]]


class TooLarge(Exception):
    """A request's body is longer than any that the page sends."""


class Page:
    """Answers requests; its files are read once, so that no path is ever made of what is asked for."""

    def __init__(self, home: Path, session: Session, port: int) -> None:
        self._session = session
        self._files = read_files()
        self._operations = Operations(home)
        self._gate = Gate(session, port, self._methods())

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        answer = await self._answer(scope, receive)
        await answer.send(send)

    def close(self) -> None:
        """End the threads that work for the page."""
        self._operations.close()

    def _methods(self) -> dict[str, str]:
        """The method of every path there is; to enter there are two."""
        reading = [*SHELLS, REPORT, *(f"/static/{name}" for name in self._files)]
        doing = [API + name for name in self._operations.names]
        return dict.fromkeys(reading, "GET") | dict.fromkeys(doing, "POST")

    async def _answer(self, scope: Mapping[str, Any], receive: Receive) -> Answer:
        method, path = scope["method"], scope["path"]
        refusal = self._gate.refuse(method, path, scope["headers"])
        if refusal:
            return self._refuse(refusal, path)
        if method == "GET":
            return await self._get(path, scope["query_string"])
        try:
            request = read_request(await read_body(receive))
        except TooLarge:
            return json_answer({"error": "too long a request"}, 413, {"connection": "close"})
        except ValueError:
            return json_answer({"error": "not a JSON object"}, 400)
        return self._enter(request) if path == ENTER else await self._do(path.removeprefix(API), request)

    async def _get(self, path: str, query: bytes) -> Answer:
        if path in SHELLS:
            return page_answer(self._files["index.html"])
        if path == ENTER:
            return page_answer(self._files["enter.html"])
        if path == REPORT:
            return await self._report(query.decode("latin-1"))
        name = path.removeprefix("/static/")
        return Answer(self._files[name], TYPES[Path(name).suffix])

    async def _report(self, run: str) -> Answer:
        try:
            body = await self._operations.report(run)
        except CapsaError as error:
            return Answer(str(error).encode(), "text/plain; charset=utf-8", 404, policy=REPORT_POLICY)
        return Answer(body, TYPES[".html"], policy=REPORT_POLICY)

    def _enter(self, request: Mapping[str, Any]) -> Answer:
        if not self._session.enter(str(request.get("key"))):
            return json_answer({"error": "this address was used already, or is too old"}, 401)
        cookie = f"{self._gate.cookie_name}={self._session.cookie}; HttpOnly; SameSite=Strict; Path=/"
        return json_answer({"token": self._session.token}, headers={"set-cookie": cookie})

    async def _do(self, name: str, request: Mapping[str, Any]) -> Answer:
        try:
            return json_answer(await self._operations.do(name, request))
        except CapsaError as error:
            status = next((each for kind, each in STATUSES.items() if isinstance(error, kind)), 500)
            return json_answer({"error": str(error), "code": error.exit_code}, status)
        except OSError as error:
            return json_answer({"error": error.strerror or str(error), "code": 1}, 500)

    def _refuse(self, refusal: Refusal, path: str) -> Answer:
        if refusal.status == 401 and path in SHELLS:
            return page_answer(self._files["locked.html"], 401)
        return json_answer({"error": refusal.reason}, refusal.status)


def read_files() -> dict[str, bytes]:
    """The files of the page, by name."""
    return {
        file.name: file.read_bytes()
        for file in (files("capsa.daemon.web") / "static").iterdir()
        if Path(file.name).suffix in TYPES
    }


async def read_body(receive: Receive) -> bytes:
    """The body of a request; TooLarge when it is."""
    body = b""
    while True:
        message = await receive()
        body += bytes(message.get("body", b""))
        if len(body) > MAX_BODY:
            raise TooLarge
        if not message.get("more_body"):
            return body


def read_request(body: bytes) -> dict[str, Any]:
    """The JSON object that the body is; ValueError when it is none."""
    try:
        request = json.loads(body)
    except RecursionError as error:
        raise ValueError("too deep") from error
    if not isinstance(request, dict):
        raise ValueError("not an object")
    return request
