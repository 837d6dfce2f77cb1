"""The command line itself: help, errors in one line, exit codes, what is imported."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from capsa.daemon.cli import COMMANDS, build_parser, main

# Modules that cost more than they give when nothing is to be done.
HEAVY = ("numpy", "faiss", "onnxruntime", "tokenizers", "sqlite_utils", "rich", "pypdfium2", "bs4", "lxml")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CAPSA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def error_line(capsys: pytest.CaptureFixture[str]) -> str:
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("capsa: ")
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"usage: capsa {command}")
    assert "--home" in out


def test_the_whole_parser_can_be_built() -> None:
    assert "capsa" in build_parser(None, all_commands=True).format_help()


def test_help_lists_all_commands_and_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"    {command.name} " in out for command in COMMANDS)
    assert "exit codes" in out
    assert main([]) == 0


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("capsa 0.")


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["index", "--frobnicate"],
        ["search"],
        ["search", "x", "-n", "0"],
        ["search", "x", "-n", "many"],
        ["search", "x", "--since", "yesterday"],
        ["search", "x", "--until", "2024-02-30"],
        ["search", "x", "--retriever", "magic"],
        ["forget"],
        ["sources", "frobnicate"],
        ["sources", "remove", "/nowhere"],
        ["index"],
        ["index", "/no/such/folder"],
        ["index", "/dev/null"],
        ["--home"],
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    line = error_line(capsys)
    if arguments[-1].startswith("/"):
        assert arguments[-1] in line


@pytest.mark.parametrize("command", ["search x", "status", "storage", "doctor", "forget x"])
def test_without_an_index_the_exit_code_is_3(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command.split()) == 3
    assert "nothing is indexed yet" in error_line(capsys)


def test_sources_without_an_index(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sources"]) == 0
    assert main(["sources", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"schema": "capsa.sources/1", "sources": []}


def test_secrets_and_the_own_home_are_refused(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".ssh").mkdir()
    assert main(["index", str(tmp_path / ".ssh")]) == 2
    assert "holds secrets" in error_line(capsys)
    home.mkdir()
    assert main(["index", str(home)]) == 2
    assert "its own files" in error_line(capsys)
    assert list(home.iterdir()) == []


def test_a_wrong_setting_is_told(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.mkdir()
    (home / "config.toml").write_text("colour = 'blue'\n")
    assert main(["index", str(tmp_path)]) == 2
    assert "unknown setting 'colour'" in error_line(capsys)


def test_debug_shows_the_trace(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--debug", "index", "/no/such/folder"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_messages_are_safe_for_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", "/no/\x1b[2Jsuch\u202efolder"]) == 2
    assert "\\x1b[2Jsuch\\u202efolder" in error_line(capsys)


def test_the_home_may_stand_before_and_after_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in (["--home", str(tmp_path), "search", "x"], ["search", "x", "--home", str(tmp_path)]):
        assert main(arguments) == 3
        error_line(capsys)


def test_the_home_may_stand_after_an_action(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sources", "list", "--home", str(tmp_path)]) == 0
    assert main(["--home", str(tmp_path), "sources", "list"]) == 0
    assert capsys.readouterr().err.count("no sources yet") == 2


def test_an_unknown_option_names_the_help_of_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "x", "-wood"]) == 2
    line = error_line(capsys)
    assert "-wood (see `capsa search --help`" in line
    assert "-- before the query" in line


def test_a_home_that_cannot_be_looked_into_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "x" * 300  # longer than any file system takes
    assert main(["search", "x", "--home", str(tmp_path / name)]) == 1
    assert name in error_line(capsys)


def imported(*arguments: str) -> set[str]:
    """The top-level modules that a command has imported by its end."""
    script = "import sys; from capsa.daemon.cli import main; code = main(sys.argv[1:]); "
    script += "print(*sys.modules, file=sys.stderr); sys.exit(code)"
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


def test_help_imports_no_command() -> None:
    modules = imported("--help")
    assert not [
        name for name in modules if name.startswith(("capsa.daemon.commands.", "capsa.store", "capsa.eval"))
    ]
    assert not modules & set(HEAVY)


def test_a_closed_pipe_is_no_error() -> None:
    command = subprocess.Popen(
        [sys.executable, "-m", "capsa.daemon", "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert command.stdout is not None
    assert command.stderr is not None
    command.stdout.close()
    with command.stderr:
        assert command.stderr.read() == b""
    assert command.wait() == 0


def test_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    from capsa.daemon.terminal import wants_colour

    master, slave = os.openpty()
    with os.fdopen(slave, "w") as terminal:
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("TERM", "xterm")
        assert wants_colour(terminal)
        monkeypatch.setenv("NO_COLOR", "1")
        assert not wants_colour(terminal)
    os.close(master)
