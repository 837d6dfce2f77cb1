"""What other programs can ask over the daemon's socket beside searches."""

import sys
from pathlib import Path

import pytest

from capsa.chunkers.errors import UnavailableError, UsageError
from capsa.daemon.answering import Texts
from capsa.daemon.cli import main
from capsa.daemon.guests import GUESTS, Host
from capsa.daemon.serving.channel import ask
from capsa.daemon.serving.server import Server

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
