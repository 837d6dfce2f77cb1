"""What other programs can ask over the daemon's socket beside searches."""

import json
import socket
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from capsa.chunkers.errors import UnavailableError, UsageError
from capsa.daemon.answering import Texts
from capsa.daemon.asking import Asking
from capsa.daemon.cli import main
from capsa.daemon.guests import GUESTS, Host
from capsa.daemon.running import Daemon
from capsa.daemon.serving.channel import address, ask
from capsa.daemon.serving.server import Server
from capsa.daemon.serving.sockets import listen

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")
TEXT = "# Mill\n\nThe river turns the wheel.\n"


def nothing(*_: object) -> dict[str, object]:
    raise AssertionError("texts need neither a search nor the status")


def test_texts_outlines_and_sources_come_over_the_socket(home: Path, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "mill.md").write_text(TEXT)
    assert main(["index", str(docs), "-q"]) == 0
    [texts] = [guest(Host(home, nothing, nothing)) for guest in GUESTS]
    assert isinstance(texts, Texts)
    server = Server(home, texts.handlers)
    server.start()
    try:
        answers = [
            ask(home, request)
            for request in (
                {"do": "read", "document": 1},
                {"do": "outline", "document": 1},
                {"do": "sources"},
            )
        ]
        read, outline, sources = (answer["record"] for answer in answers if answer)
        assert (read["schema"], read["text"]) == ("capsa.read/1", TEXT)
        assert [heading["heading"] for heading in outline["headings"]] == ["Mill"]
        assert [source["path"] for source in sources["sources"]] == [str(docs)]
        with pytest.raises(UsageError, match="id"):
            ask(home, {"do": "outline", "document": "one"})
        with pytest.raises(UnavailableError, match="no longer in the index"):
            ask(home, {"do": "read", "document": 99})
    finally:
        server.close()
        texts.close()


def ask_plainly(home: Path, request: Mapping[str, object]) -> dict[str, object]:
    """Ask as README.md tells other programs to: eight bytes of length, the lowest first, and JSON."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(address(home)))
        sent = json.dumps(request).encode()
        connection.sendall(len(sent).to_bytes(8, "little") + sent)
        with connection.makefile("rb") as stream:
            answer: dict[str, object] = json.loads(stream.read(int.from_bytes(stream.read(8), "little")))
    return answer


def test_any_program_can_ask_the_daemon(home: Path, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "mill.md").write_text(TEXT)
    assert main(["index", str(docs), "-q"]) == 0
    daemon, ready = Daemon(home), threading.Event()
    thread = threading.Thread(target=daemon.run, args=(ready.set,))
    thread.start()
    try:
        assert ready.wait(240)
        [hit] = found = record_of(ask_plainly(home, {"do": "search", "text": "wheel", "limit": 3}))["hits"]
        assert hit["document"]["path"] == str(docs / "mill.md")
        like = {"do": "search", "like": hit["chunk"]["id"], "kinds": ["markdown"], "folder": str(docs)}
        assert record_of(ask_plainly(home, like))["hits"][0]["chunk"] == found[0]["chunk"]
        read = record_of(ask_plainly(home, {"do": "read", "chunk": hit["chunk"]["id"]}))
        assert hit["text"] in read["text"]
        spelling = record_of(ask_plainly(home, {"do": "spell", "text": "whele"}))
        assert spelling["corrections"] == [{"word": "whele", "instead": "wheel"}]
        assert ask_plainly(home, {"do": "status"})["paused"] is False
        for wrong in (
            {"do": "search", "text": ["wheel"]},
            {"do": "search", "text": "wheel", "kinds": "markdown"},
            {"do": "search", "like": "1"},
            {"do": "search", "text": "wheel", "limit": 10**6},
            {"do": "read", "document": "../../etc/passwd"},
            {"do": "open"},
        ):
            told = ask_plainly(home, wrong)
            assert (told["code"], bool(told["error"])) == (2, True), wrong
    finally:
        daemon.stop()
        thread.join(240)


def record_of(answer: dict[str, object]) -> dict[str, Any]:
    record = answer["record"]
    assert isinstance(record, dict)
    return record


def test_a_daemon_that_ends_meanwhile_is_none(home: Path, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "mill.md").write_text(TEXT)
    assert main(["index", str(docs), "-q"]) == 0
    with listen(home) as listener:

        def hang_up() -> None:
            for _ in range(3):
                listener.accept()[0].close()

        thread = threading.Thread(target=hang_up, daemon=True)
        thread.start()
        asking = Asking(home)
        assert ask(home, {"do": "status"}) is None
        [hit] = asking.answer({"do": "search", "text": "wheel"})["hits"]
        assert hit["document"]["title"] == "Mill"
        assert asking.answer({"do": "status"})["daemon"] is None
        asking.close()
        thread.join()
