"""The adapter of the docling extra, which is not a part of the test environment."""

import os
from importlib.util import find_spec

import pytest
from pdf_samples import report

from capsa.chunkers.errors import ParseError, UnavailableError
from capsa.chunkers.parsers import docling, parse

needs_absence = pytest.mark.skipif(find_spec("docling") is not None, reason="docling is installed")


@needs_absence
def test_absence_is_said_with_what_to_do() -> None:
    with pytest.raises(UnavailableError, match=r"pip install 'capsa\[docling\]'") as caught:
        parse(report(), "a.pdf", "docling")
    assert caught.value.exit_code == 3


def test_other_formats_are_refused() -> None:
    with pytest.raises(ParseError) as caught:
        parse(b"plain words", "a.txt", "docling")
    assert caught.value.reason == "unsupported"


def test_network_is_off_during_the_call_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    with docling.offline():
        assert os.environ["HF_HUB_OFFLINE"] == "1"
    assert "HF_HUB_OFFLINE" not in os.environ
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    with docling.offline():
        assert os.environ["HF_HUB_OFFLINE"] == "1"
    assert os.environ["HF_HUB_OFFLINE"] == "0"


def test_missing_models_are_told_from_damage() -> None:
    class LocalEntryNotFoundError(FileNotFoundError):
        """As huggingface_hub names it."""

    wrapped = ValueError("no pipeline")
    wrapped.__cause__ = LocalEntryNotFoundError("cannot find the appropriate snapshot folder")
    assert docling.is_missing_model(wrapped)
    assert not docling.is_missing_model(ValueError("bad page"))


def test_markdown_is_split_on_blank_lines() -> None:
    markdown = "## Ports\n\nWords on\nports.\n\n|a|b|\n|-|-|\n|1|2|\n\n- one\n- two\n\n```\ncode\n```\n"
    document = docling.from_markdown(markdown, "pdf", 2)
    assert [(b.kind, b.level, document.text[b.start : b.end]) for b in document.blocks] == [
        ("heading", 2, "## Ports"),
        ("paragraph", 0, "Words on\nports."),
        ("table", 0, "|a|b|\n|-|-|\n|1|2|"),
        ("list_item", 1, "- one\n- two"),
        ("code", 0, "```\ncode\n```"),
    ]
    assert document.pages == 2
