"""An index that an older version of the program wrote: the next indexing brings it up to date."""

from collections.abc import Callable
from pathlib import Path

import pytest

from capsa.daemon.cli import main
from capsa.store.home import database_path


def test_indexing_brings_it_up_to_date(
    home: Path, tmp_path: Path, to_version_1: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "whales.md").write_text("# Whales\n\nWhales sing in the deep sea.\n")
    assert main(["index", str(tmp_path / "whales.md")]) == 0
    to_version_1(database_path(home))
    assert main(["search", "whales"]) == 1
    assert "`capsa index` brings it up to date" in capsys.readouterr().err
    assert main(["index"]) == 0
    assert "1 unchanged" in capsys.readouterr().out
    assert main(["search", "whales"]) == 0
    assert "Whales sing" in capsys.readouterr().out
