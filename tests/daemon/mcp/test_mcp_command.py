from importlib import util
from pathlib import Path

import pytest

from capsa.daemon.cli import main
from capsa.daemon.mcp.permission import Permission


def test_without_the_package_the_command_says_what_is_missing(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    find = util.find_spec
    monkeypatch.setattr(
        "capsa.daemon.commands.mcp.find_spec", lambda name: None if name == "mcp" else find(name)
    )
    assert main(["mcp"]) == 3
    assert "pip install 'capsa[mcp]'" in capsys.readouterr().err


def test_a_link_and_what_is_outside_are_not_allowed(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    home.mkdir(exist_ok=True)
    (folder / "a.txt").write_text("a")
    (tmp_path / "secret.txt").write_text("s")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    permission = Permission(home, [bytes(folder)])
    allowed = {
        name: permission.allows(bytes(folder / name))
        for name in ("a.txt", "gone.txt", "link.txt", "../secret.txt", ".env", "id_rsa")
    }
    assert allowed == {
        "a.txt": True,
        "gone.txt": True,
        "link.txt": False,
        "../secret.txt": False,
        ".env": False,
        "id_rsa": False,
    }
    assert not permission.allows(bytes(tmp_path / "secret.txt"))
    assert permission.allows(None)
