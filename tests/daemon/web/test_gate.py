"""Who is answered: everything that is not our own page in our user's browser is refused."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from page_client import Client

from capsa.daemon.web import server as server_module
from capsa.daemon.web import session as session_module
from capsa.daemon.web.page import MAX_BODY
from capsa.daemon.web.session import KEY_SECONDS, Session

OURS = "http://127.0.0.1:{port}"
# What must not be answered, as changes of the headers of a request that is.
FOREIGN: dict[str, dict[str, str | None]] = {
    "another host": {"host": "evil.example:{port}"},
    "a name that was made to point here": {"host": "127.0.0.1.evil.example:{port}"},
    "our host by name": {"host": "localhost:{port}"},
    "our host without the port": {"host": "127.0.0.1"},
    "our host with another port": {"host": "127.0.0.1:1"},
    "an empty host": {"host": ""},
    "another origin": {"origin": "http://evil.example"},
    "no origin at all, of a frame": {"origin": "null"},
    "another port": {"origin": "http://127.0.0.1:1"},
    "our origin over TLS": {"origin": "https://127.0.0.1:{port}"},
    "our origin with a user": {"origin": "http://x@127.0.0.1:{port}"},
    "a page elsewhere": {"sec_fetch_site": "cross-site"},
    "a page of another port": {"sec_fetch_site": "same-site"},
    "no cookie": {"cookie": None},
    "a wrong cookie": {"cookie": "capsa_{port}=wrong"},
    "an empty cookie": {"cookie": "capsa_{port}="},
    "a cookie of another port": {"cookie": "capsa_1={cookie}"},
    "two cookies": {"cookie": "capsa_{port}={cookie}; capsa_{port}={cookie}"},
}
FOREIGN_TO_THE_API: dict[str, dict[str, str | None]] = {
    **FOREIGN,
    "no origin": {"origin": None},
    "an address that was typed": {"sec_fetch_site": "none"},
    "no token": {"x_capsa_token": None},
    "a wrong token": {"x_capsa_token": "wrong"},
    "an empty token": {"x_capsa_token": ""},
    "the cookie as the token": {"x_capsa_token": "{cookie}"},
    "a form": {"content_type": "application/x-www-form-urlencoded"},
    "a form with files": {"content_type": "multipart/form-data; boundary=x"},
    "plain text, which needs no preflight": {"content_type": "text/plain"},
    "no type": {"content_type": None},
}


def changed(client: Client, changes: dict[str, str | None]) -> dict[str, str]:
    known = {"port": client.server.port, "cookie": client.cookie}
    return client.headers(**{name: value and value.format(**known) for name, value in changes.items()})


@pytest.mark.parametrize("path", ["/", "/state", "/evaluation", "/static/app.js", "/report?x"])
def test_reading_is_refused_to_all_others(client: Client, path: str) -> None:
    usual = client.headers(origin=None, content_type=None)
    assert client.ask("GET", path, headers=usual)[0] in (200, 404)
    told = {
        what: client.ask("GET", path, headers=changed(client, {"origin": None} | changes))[0]
        for what, changes in FOREIGN.items()
    }
    assert {what for what, status in told.items() if status < 400 or status == 404} == set()


def test_doing_is_refused_to_all_others(client: Client) -> None:
    assert client.do("search", text="mill")["status"] == 200
    told = {
        what: client.ask("POST", "/api/search", {"text": "mill"}, changed(client, changes))[0]
        for what, changes in FOREIGN_TO_THE_API.items()
    }
    assert {what for what, status in told.items() if status < 400} == set()


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_nothing_is_done_by_another_method(client: Client, method: str) -> None:
    paths = [f"/api/{name}" for name in ("search", "add", "remove", "forget", "retry", "start", "open")]
    assert {client.ask(method, path, {})[0] for path in paths} == {405}


def test_what_reads_takes_no_post(client: Client) -> None:
    assert {client.ask("POST", path, {})[0] for path in ("/", "/state", "/static/app.js", "/report")} == {405}


@pytest.mark.parametrize(
    "path",
    [
        "/static/../page.py",
        "/static/..%2fpage.py",
        "/static//etc/passwd",
        "/static/%2e%2e/%2e%2e/settings.py",
        "//127.0.0.1/",
        "/static/",
        "/static/app.js/",
        "/api/answer",
        "/api/",
        "/static/app.js%00",
        "http://evil.example/",
    ],
)
def test_no_path_leads_elsewhere(client: Client, path: str) -> None:
    usual = client.headers(origin=None, content_type=None)
    assert client.ask("GET", path, headers=usual)[0] in (400, 404, 405, 421)


def test_two_hosts_are_none(client: Client) -> None:
    host = f"127.0.0.1:{client.server.port}"
    told = raw(client, f"GET / HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n".encode())
    assert told.startswith((b"HTTP/1.1 400", b"HTTP/1.1 421"))
    assert raw(client, b"GET / HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400")
    assert raw(client, b"GET / HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 421")


def test_the_address_works_once(shared_home: Path, serve: Any) -> None:
    client = Client(serve(shared_home))
    key = client.server.address.partition("#")[2]
    assert client.ask("POST", "/enter", {"key": "wrong"})[0] == 401
    assert client.ask("POST", "/enter", {"key": key}, client.headers(origin="http://evil.example"))[0] == 403
    assert client.ask("POST", "/enter", {"key": key}, client.headers(content_type="text/plain"))[0] == 415
    status, headers, _ = client.ask("POST", "/enter", {"key": key})
    assert status == 200
    assert headers["set-cookie"].endswith("; HttpOnly; SameSite=Strict; Path=/")
    assert client.ask("POST", "/enter", {"key": key})[0] == 401


def test_the_address_works_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    session, now = Session(), time.monotonic()
    later = SimpleNamespace(monotonic=lambda: now + KEY_SECONDS + 1)
    monkeypatch.setattr(session_module, "time", later)
    assert not session.enter(session.key)


def test_keys_differ() -> None:
    sessions = [Session(), Session()]
    keys = [key for each in sessions for key in (each.key, each.cookie, each.token)]
    assert len(set(keys)) == 6
    assert min(map(len, keys)) >= 43


def test_a_page_without_its_key_says_what_to_do(client: Client) -> None:
    status, _, body = client.ask("GET", "/", headers={})
    assert (status, b"capsa open" in body) == (401, True)


def test_every_answer_keeps_to_itself(client: Client) -> None:
    usual = client.headers(origin=None, content_type=None)
    answers = [
        client.ask("GET", "/", headers=usual),
        client.ask("GET", "/static/app.js", headers=usual),
        client.ask("GET", "/nowhere", headers=usual),
        client.ask("POST", "/api/search", {"text": "mill"}),
        client.ask("POST", "/api/search", {"text": "mill"}, {}),
    ]
    for _, headers, _ in answers:
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http:" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert "permissions-policy" in headers
        assert not any(name.startswith("access-control") for name in headers)
        assert "server" not in headers


def test_a_report_runs_nothing_either() -> None:
    from capsa.daemon.web.answers import REPORT_POLICY

    assert "default-src 'none'" in REPORT_POLICY
    assert "script-src" not in REPORT_POLICY
    assert "sandbox" in REPORT_POLICY.split("; ")


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'"x"', b"\xff\xfe", b"[" * 20_000, b"nul"])
def test_what_is_no_request_is_refused(client: Client, body: bytes) -> None:
    assert client.ask("POST", "/api/search", body)[0] == 400


def test_a_huge_request_is_refused(client: Client) -> None:
    assert client.do("search", text="x" * (MAX_BODY + 1))["status"] == 413
    head = b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000
    assert raw(client, head).startswith(b"HTTP/1.1 400")
    assert client.do("search", text="mill")["status"] == 200


@pytest.mark.parametrize("text", ['"', "*", "NEAR(", "-", "\0", "a" * 50_000, "\ud800", "' OR 1=1 --", "🦔"])
def test_any_query_is_answered(client: Client, text: str) -> None:
    assert client.do("search", text=text)["status"] == 200


def test_slow_requests_are_cut_off(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    host = f"Host: 127.0.0.1:{client.server.port}"
    head = [f"{name}: {value}" for name, value in client.headers().items()]
    body = "\r\n".join(["POST /enter HTTP/1.1", host, *head, "Content-Length: 9", "", "{"])
    with monkeypatch.context() as patch:
        patch.setattr(server_module, "REQUEST_SECONDS", 0.3)
        for begun in ("", "GET / HT", f"GET / HTTP/1.1\r\n{host}\r\n", body):
            assert raw(client, begun.encode()) == b""
    # With so little time a request of a busy machine is cut off as well.
    assert client.do("search", text="mill")["status"] == 200


def test_many_connections_do_no_harm(client: Client) -> None:
    held = [socket.create_connection(("127.0.0.1", client.server.port)) for _ in range(100)]
    for connection in held:
        connection.close()
    end = time.monotonic() + 240
    while (
        status := client.ask("POST", "/api/search", {"text": "mill"})[0]
    ) == 503 and time.monotonic() < end:
        time.sleep(0.1)
    assert status == 200


AS_NOBODY = """
import encodings.idna, os, socket, sys
os.setuid(65534)
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=60)
try:
    connection.sendall(sys.argv[2].encode())
    print(connection.recv(1000).decode())
except ConnectionError:
    print()
"""


@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="only root can become another user")
def test_another_user_is_refused_even_with_all_keys(client: Client) -> None:
    body = json.dumps({"text": "mill"})
    head = [f"{name}: {value}" for name, value in client.headers().items()]
    head += [f"Host: 127.0.0.1:{client.server.port}", f"Content-Length: {len(body)}"]
    request = "\r\n".join(["POST /api/search HTTP/1.1", *head, "", body])
    assert raw(client, request.encode()).startswith(b"HTTP/1.1 200")
    asked = [sys.executable, "-c", AS_NOBODY, str(client.server.port), request]
    assert subprocess.run(asked, capture_output=True, text=True, check=True, cwd="/").stdout.strip() == ""


def raw(client: Client, data: bytes, wanted: int = 1000) -> bytes:
    """What comes back for the bytes, nothing when the connection is cut."""
    with socket.create_connection(("127.0.0.1", client.server.port), timeout=60) as connection:
        try:
            connection.sendall(data)
            return connection.recv(wanted)
        except ConnectionError:
            return b""
