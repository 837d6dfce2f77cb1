"""A client that is let in, and sends what the page's own script would send."""

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from capsa.daemon.web.server import PageServer

# What a browser exports.
BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<DL><p>
<DT><H3>Boats</H3>
<DL><p>
<DT><A HREF="https://boats.example.org/punts" ADD_DATE="1700000000">How punts float</A>
<DT><A HREF="https://boats.example.org/barges" ADD_DATE="1700000001">How barges float</A>
<DT><A HREF="https://mills.example.net/wheels" ADD_DATE="1700000002">How wheels turn</A>
</DL><p>
</DL><p>
"""


@dataclass
class Client:
    """Sends requests to a page as its own script would; ``headers`` may be changed for one request."""

    server: PageServer
    cookie: str = ""
    token: str = ""

    def headers(self, **changes: str | None) -> dict[str, str]:
        origin = f"http://127.0.0.1:{self.server.port}"
        usual = {
            "Origin": origin,
            "Content-Type": "application/json",
            "X-Capsa-Token": self.token,
            "Cookie": f"capsa_{self.server.port}={self.cookie}",
            "Sec-Fetch-Site": "same-origin",
        }
        changed = usual | {name.replace("_", "-").title(): value for name, value in changes.items()}
        return {name: value for name, value in changed.items() if value is not None}

    def ask(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        sent = json.dumps(body) if body is not None and not isinstance(body, bytes) else body
        given = self.headers() if headers is None else dict(headers)
        # http.client would put its own host where none is wanted.
        connection.putrequest(method, path, skip_host="Host" in given, skip_accept_encoding=True)
        for name, value in given.items():
            connection.putheader(name, value)
        data = (sent.encode() if isinstance(sent, str) else sent) or b""
        connection.putheader("Content-Length", str(len(data)))
        connection.endheaders(data)
        answer = connection.getresponse()
        told = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        connection.close()
        return told

    def do(self, operation: str, **request: Any) -> dict[str, Any]:
        status, _, body = self.ask("POST", f"/api/{operation}", request)
        record: dict[str, Any] = json.loads(body)
        return record | {"status": status}

    def enter(self) -> None:
        key = self.server.address.partition("#")[2]
        _, headers, body = self.ask("POST", "/enter", {"key": key})
        self.token = json.loads(body)["token"]
        self.cookie = headers["set-cookie"].partition("=")[2].partition(";")[0]

    def begin(self) -> None:
        """Have all threads run that work for the page: each begins with the first work it gets."""
        for operation in ("search", "pulse", "remove"):
            self.do(operation)

    def storage_state(self) -> dict[str, Any]:
        """What a browser would keep, in the form that Playwright reads."""
        cookie = {
            "name": f"capsa_{self.server.port}",
            "value": self.cookie,
            "domain": "127.0.0.1",
            "path": "/",
        }
        kept = {"name": "token", "value": self.token}
        origin = f"http://127.0.0.1:{self.server.port}"
        return {
            "cookies": [cookie | {"expires": -1, "httpOnly": True, "secure": False, "sameSite": "Strict"}],
            "origins": [{"origin": origin, "localStorage": [kept]}],
        }
