"""How the three systems start capsa at login: which files, and which of their commands."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from xml.sax.saxutils import escape

from capsa.chunkers.errors import CapsaError, UnavailableError

from .serving.channel import address

Command = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Service:
    """A system's way. ``templates`` are files of capsa.service_files, put into ``folder``.

    ``quote`` makes a value fit for them. ``start``, ``stop`` and ``ask`` are the system's commands, in which
    {file} is the first file.
    """

    folder: Path
    templates: tuple[str, ...]
    quote: Callable[[str], str]
    start: tuple[Command, ...]
    stop: tuple[Command, ...]
    ask: Command

    def paths(self) -> list[Path]:
        """Return where the files go."""
        return [self.folder / name for name in self.templates]


def systemd() -> Service:
    """Linux: units of the user."""
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    control = ("systemctl", "--user")
    units = ("capsa.socket", "capsa.service")
    return Service(
        folder=Path(config) / "systemd" / "user",
        templates=("capsa.service", "capsa.socket"),
        quote=quote_unit,
        start=((*control, "daemon-reload"), (*control, "enable", "--now", *units)),
        stop=((*control, "disable", "--now", *units), (*control, "daemon-reload")),
        ask=(*control, "is-active", "capsa.service"),
    )


def launchd() -> Service:
    """macOS: an agent of the user."""
    label, domain = "io.github.capsa", f"gui/{getattr(os, 'getuid', int)()}"
    return Service(
        folder=Path(os.path.expanduser("~/Library/LaunchAgents")),
        templates=(f"{label}.plist",),
        quote=escape,
        start=(("launchctl", "bootstrap", domain, "{file}"),),
        stop=(("launchctl", "bootout", f"{domain}/{label}"),),
        ask=("launchctl", "print", f"{domain}/{label}"),
    )


def task_scheduler() -> Service:
    """Windows: a task of the user."""
    name = ("/TN", "capsa")
    return Service(
        folder=Path(os.environ.get("LOCALAPPDATA", os.path.expanduser("~"))) / "capsa",
        templates=("capsa-task.xml",),
        quote=escape,
        start=(("schtasks", "/Create", *name, "/XML", "{file}", "/F"), ("schtasks", "/Run", *name)),
        stop=(("schtasks", "/End", *name), ("schtasks", "/Delete", *name, "/F")),
        ask=("schtasks", "/Query", *name),
    )


SERVICES: Mapping[str, Callable[[], Service]] = {
    "linux": systemd,
    "darwin": launchd,
    "win32": task_scheduler,
}


def this_service() -> Service:
    """Return the way of this system; UnavailableError when none is known."""
    if sys.platform not in SERVICES:
        raise UnavailableError(
            f"no service is known for {sys.platform}; `capsa start` runs in the background"
        )
    return SERVICES[sys.platform]()


def fill(service: Service, home: Path) -> dict[Path, str]:
    """Return the text of each file, for this Python and this home."""
    values = {
        "@PYTHON@": sys.executable,
        "@HOME@": os.fspath(home),
        "@SOCKET@": os.fspath(address(home)).replace("%", "%%"),
        "@USER@": os.environ.get("USERNAME", ""),
    }
    filled: dict[Path, str] = {}
    for path in service.paths():
        text = files("capsa.service_files").joinpath(path.name).read_text(encoding="utf-8")
        for name, value in values.items():
            text = text.replace(name, value if name == "@SOCKET@" else service.quote(value))
        filled[path] = text
    return filled


def quote_unit(value: str) -> str:
    """Return the value as one word of a unit's command line."""
    for character, instead in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%"), ("$", "$$")):
        value = value.replace(character, instead)
    return f'"{value}"'


def call(commands: tuple[Command, ...], service: Service) -> None:
    """Run the system's commands; CapsaError with what it says when one fails."""
    for command in commands:
        words = [word.replace("{file}", os.fspath(service.paths()[0])) for word in command]
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise UnavailableError(
                f"{words[0]} is not on this machine; `capsa start` needs it not"
            ) from error
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines()
            raise CapsaError(f"`{' '.join(words)}` failed: {said[-1] if said else done.returncode}")
