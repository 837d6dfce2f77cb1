"""The README says what is so: commands, options, exit codes, the map of the code."""

import re
from pathlib import Path

import pytest

from capsa.chunkers.errors import CapsaError, UnavailableError, UsageError
from capsa.daemon.cli import COMMANDS, INTERRUPTED, main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_a_command_and_its_output_stand_near_the_top() -> None:
    top = "\n".join(README.split("\n")[:30])
    assert "$ capsa index" in top
    assert "found =" in top


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_every_command_is_told(command: str) -> None:
    assert f"`capsa {command}" in README


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert f"capsa {command}" in capsys.readouterr().out


def test_the_options_of_search_are_those_of_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    main(["search", "--help"])
    offered = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    row = next(line for line in README.split("\n") if line.startswith("| `capsa search"))
    assert set(re.findall(r"--[a-z-]+", row)) <= offered


def test_the_exit_codes_are_those_of_the_program() -> None:
    codes = {CapsaError.exit_code: "error", UsageError.exit_code: "wrong usage"}
    codes |= {UnavailableError.exit_code: "not available", INTERRUPTED: "stopped by Ctrl-C"}
    line = README[README.index("Exit codes:") :].split("\n")[0]
    assert all(f"{code} {meaning}" in line for code, meaning in codes.items())


def test_what_the_map_names_is_there() -> None:
    part = README[README.index("## The map") : README.index("## Privacy")]
    files = set(re.findall(r"\b[a-z_]+\.(?:py|sql)\b", part))
    there = {path.name for path in ROOT.rglob("*") if path.suffix in (".py", ".sql")}
    assert files - there == set()
    folders = set(re.findall(r"^ {4,6}([a-z]+)/", part, re.MULTILINE))
    assert all(list(ROOT.glob(f"{folder}")) + list(ROOT.glob(f"*/{folder}")) for folder in folders)


def test_no_figure_is_left_to_be_filled_in() -> None:
    assert "@@" not in README
