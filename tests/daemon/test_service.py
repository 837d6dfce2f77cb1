"""The service files: valid for each system, and installed with the system's own commands."""

import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from capsa.daemon import service
from capsa.daemon.cli import main
from capsa.daemon.service import fill, launchd, systemd, task_scheduler

ODD = 'a "b" % $c & <d>'


def test_the_unit_is_one_that_systemd_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not here")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for path, text in fill(systemd(), tmp_path / "home").items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)}
    units = [str(path) for path in systemd().paths()]
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", *units],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    # An unknown key is no error to it, only a message.
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_the_unit_has_nothing_that_does_nothing_in_a_users_unit(tmp_path: Path) -> None:
    inert = (
        "PrivateTmp",
        "ProtectSystem",
        "ProtectHome",
        "PrivateNetwork",
        "InaccessiblePaths",
        "IPAddressDeny",
    )
    failing = ("CapabilityBoundingSet", "PrivateDevices")
    lines = [line for text in fill(systemd(), tmp_path).values() for line in text.splitlines()]
    assert [line for line in lines if line.startswith((*inert, *failing))] == []


def test_an_odd_home_stays_one_word(tmp_path: Path) -> None:
    unit = fill(systemd(), tmp_path / ODD)[systemd().paths()[0]]
    [line] = [line for line in unit.splitlines() if line.startswith("ExecStart=")]
    assert f'--home "{tmp_path}/a \\"b\\" %% $$c & <d>" run' in line


def test_the_agent_is_a_property_list(tmp_path: Path) -> None:
    [text] = fill(launchd(), tmp_path / ODD).values()
    agent = plistlib.loads(text.encode())
    assert agent["ProgramArguments"] == [
        *(sys.executable, "-P", "-m", "capsa.daemon", "--home", str(tmp_path / ODD), "run")
    ]
    assert agent["RunAtLoad"]


def test_the_task_is_xml(tmp_path: Path) -> None:
    [text] = fill(task_scheduler(), tmp_path / "a & b").values()
    task = ElementTree.fromstring(text.split("?>", 1)[1])
    assert f'"{tmp_path / "a & b"}"' in "".join(task.itertext())


@pytest.fixture
def systemctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A systemctl that writes down what it is told; a machine for tests has no systemd of a user."""
    tools, told = tmp_path / "tools", tmp_path / "told"
    tools.mkdir()
    script = tools / "systemctl"
    script.write_text(
        f'#!/bin/sh\necho "$@" >> "{told}"\n[ ! -e "{tmp_path}/broken" ] || {{ echo no bus >&2; exit 1; }}\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(service.sys, "platform", "linux")
    return told


def test_it_is_installed_and_removed(home: Path, systemctl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["service", "status"]) == 1
    assert main(["service", "install"]) == 0
    units = systemd().paths()
    assert all(path.exists() for path in units)
    assert str(home) in units[0].read_text()
    assert "enable --now capsa.socket capsa.service" in systemctl.read_text()
    capsys.readouterr()
    assert main(["service", "status"]) == 1
    assert "is installed" in capsys.readouterr().out
    assert main(["service", "uninstall"]) == 0
    assert not any(path.exists() for path in units)
    assert "disable --now" in systemctl.read_text()
    assert main(["service", "uninstall"]) == 0


def test_what_the_system_refuses_is_told(
    home: Path, systemctl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken").touch()
    assert main(["service", "install"]) == 1
    assert "no bus" in capsys.readouterr().err


def test_a_system_without_services_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service.sys, "platform", "plan9")
    assert main(["service", "status"]) == 3
