"""``capsa sources``: list, add or remove what is indexed."""

import argparse
import os
from typing import TYPE_CHECKING

from capsa.chunkers.errors import UsageError
from capsa.store.home import database_path

from ..excludes import Excludes
from ..printing import count, print_json, print_lines
from ..settings import load_settings
from ..targets import resolve
from ..terminal import say, show_path
from ..writing import open_writer

if TYPE_CHECKING:
    from capsa.store.records import Source


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("list", help="list the sources (also without an action)")
    for place in (parser, listing):
        place.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="capsa.sources/1")
    add = actions.add_parser("add", help="add a folder; `capsa index` then reads it")
    add.add_argument("path", metavar="FOLDER")
    remove = actions.add_parser("remove", help="remove a source and everything that came from it")
    remove.add_argument("path", metavar="FOLDER")


def run(args: argparse.Namespace) -> int:
    """Do the action; listing is the default."""
    action = {"add": _add, "remove": _remove}.get(args.action, _list)
    return action(args)


def known_sources(args: argparse.Namespace) -> "list[Source]":
    """The sources of the home, none when there is no index."""
    if not database_path(args.home).exists():
        return []
    from capsa.store.reader import Reader

    with Reader.open(args.home) as reader:
        return reader.sources()


def _list(args: argparse.Namespace) -> int:
    sources = known_sources(args)
    if getattr(args, "json", False):
        listed = [{"id": s.id, "kind": s.kind, "path": show_path(s.path)} for s in sources]
        print_json({"schema": "capsa.sources/1", "sources": listed})
    else:
        print_lines(show_path(source.path) for source in sources)
        if not sources:
            say("capsa: no sources yet; `capsa index FOLDER` adds one and reads it")
    return 0


def _add(args: argparse.Namespace) -> int:
    excludes = Excludes(load_settings(args.home), os.fsencode(args.home))
    target = resolve([args.path], known_sources(args), excludes)[0]
    if target.source_id is not None:
        print_lines([f"{show_path(target.within)} is already in {show_path(target.root)}"])
        return 0
    with open_writer(args.home) as writer:
        writer.add_source(target.root)
    print_lines([f"added {show_path(target.root)}; `capsa index` reads it"])
    return 0


def _remove(args: argparse.Namespace) -> int:
    plain = os.path.abspath(os.path.expanduser(os.fsencode(args.path)))
    wanted = {plain, os.path.realpath(plain)}
    source = next((source for source in known_sources(args) if source.path in wanted), None)
    if source is None:
        raise UsageError(f"{show_path(args.path)} is not a source; see `capsa sources list`")
    with open_writer(args.home) as writer:
        removed = writer.remove_source(source.id)
        writer.publish()
    print_lines([f"removed {show_path(source.path)} and {count(removed, 'file')} from the index"])
    return 0
