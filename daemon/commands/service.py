"""``capsa service``: start capsa at login, by the system's own means."""

import argparse
import subprocess
from pathlib import Path

from capsa.chunkers.errors import CapsaError
from capsa.store.private import write_file

from ..printing import print_lines
from ..service import Service, call, fill, this_service
from ..serving.channel import ask
from ..terminal import say


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    actions.add_parser("install", help="start capsa now and at every login")
    actions.add_parser("uninstall", help="stop that, and remove its files")
    actions.add_parser("status", help="whether it is installed and runs")


def run(args: argparse.Namespace) -> int:
    """Do the action."""
    service = this_service()
    action = {"install": _install, "uninstall": _uninstall, "status": _status}[args.action]
    return action(service, args.home)


def _install(service: Service, home: Path) -> int:
    if ask(home, {"do": "status"}) is not None:
        raise CapsaError("capsa is running already; `capsa stop` it first, so that the system can start it")
    for path, text in fill(service, home).items():
        write_file(path, text.encode("utf-16" if 'encoding="UTF-16"' in text else "utf-8"))
        print_lines([f"wrote {path}"])
    call(service.start, service)
    print_lines(["capsa runs now and at every login"])
    return 0


def _uninstall(service: Service, home: Path) -> int:
    there = [path for path in service.paths() if path.exists()]
    if not there:
        print_lines(["no service is installed"])
        return 0
    try:
        call(service.stop, service)
    except CapsaError as error:
        say(f"capsa: {error}; its files are removed all the same")
    for path in there:
        path.unlink()
        print_lines([f"removed {path}"])
    return 0


def _status(service: Service, home: Path) -> int:
    installed = all(path.exists() for path in service.paths())
    print_lines([f"the service is {'installed' if installed else 'not installed'}: {service.paths()[0]}"])
    if installed:
        try:
            done = subprocess.run(service.ask, capture_output=True, text=True, check=False)
            print_lines([f"{service.ask[0]} says: {(done.stdout or done.stderr).strip().splitlines()[0]}"])
        except (FileNotFoundError, IndexError):
            print_lines([f"{service.ask[0]} says nothing"])
    running = ask(home, {"do": "status"})
    print_lines([f"capsa is {'running' if running else 'not running'}"])
    return 0 if installed and running else 1
