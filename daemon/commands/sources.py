"""``capsa sources``: list, add, remove or pause what is indexed."""

import argparse
from pathlib import Path

from ..changing import add_source, known_sources, pause_source, remove_source
from ..printing import count, print_json, print_lines
from ..serving.channel import ask
from ..terminal import say, show_path


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("list", help="list the sources (also without an action)")
    for place in (parser, listing):
        place.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="capsa.sources/1")
    add = actions.add_parser("add", help="add a folder, which `capsa index` or the running capsa reads")
    add.add_argument("path", metavar="FOLDER")
    remove = actions.add_parser("remove", help="remove a source and everything that came from it")
    remove.add_argument("path", metavar="FOLDER")
    pause = actions.add_parser("pause", help="look for no changes in a source; what is indexed of it stays")
    pause.add_argument("path", metavar="FOLDER")
    resume = actions.add_parser("resume", help="look for changes in a source again")
    resume.add_argument("path", metavar="FOLDER")


def run(args: argparse.Namespace) -> int:
    """Do the action; listing is the default."""
    action = {"add": _add, "remove": _remove, "pause": _pause, "resume": _resume}.get(args.action, _list)
    return action(args)


def _list(args: argparse.Namespace) -> int:
    sources = known_sources(args.home)
    if getattr(args, "json", False):
        listed = [
            {"id": s.id, "kind": s.kind, "path": show_path(s.path), "paused": s.paused} for s in sources
        ]
        print_json({"schema": "capsa.sources/1", "sources": listed})
    else:
        print_lines(show_path(source.path) + ("  (paused)" if source.paused else "") for source in sources)
        if not sources:
            say("capsa: no sources yet; `capsa index FOLDER` adds one and reads it")
    return 0


def _add(args: argparse.Namespace) -> int:
    target = add_source(args.home, args.path)
    if target.source_id is not None:
        print_lines([f"{show_path(target.within)} is already in {show_path(target.root)}"])
    else:
        print_lines([f"added {show_path(target.root)}; {_reader(args.home)}"])
    return 0


def _reader(home: Path) -> str:
    """Say who reads a new source."""
    told = ask(home, {"do": "status"})
    if told is None:
        return "`capsa index` reads it"
    return "`capsa resume` has it read" if told["paused"] else "capsa reads it now, in the background"


def _pause(args: argparse.Namespace) -> int:
    path = show_path(pause_source(args.home, args.path, True))
    print_lines([f"{path} is left as it is until `capsa sources resume`; searches go on"])
    return 0


def _resume(args: argparse.Namespace) -> int:
    path = show_path(pause_source(args.home, args.path, False))
    print_lines([f"{path} is looked at for changes again; {_reader(args.home)}"])
    return 0


def _remove(args: argparse.Namespace) -> int:
    path, removed = remove_source(args.home, args.path)
    print_lines([f"removed {show_path(path)} and {count(removed, 'file')} from the index"])
    return 0
