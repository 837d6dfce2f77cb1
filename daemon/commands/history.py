"""``capsa history``: take in what browsers export, follow them, list it, forget parts of it."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from capsa.chunkers.errors import UnavailableError, UsageError
from capsa.store.home import database_path

from ..beginning import require_index
from ..changing import forget_visits, host_name
from ..cli import INTERRUPTED
from ..dates import parse_date
from ..history.listing import Instant, lines, to_json
from ..history.profiles import NAMES, find_profiles, installed
from ..printing import count, print_json, print_lines
from ..settings import load_settings
from ..terminal import safe, say, show_path
from ..writing import open_writer

if TYPE_CHECKING:
    from ..history.report import ImportReport

QUERIES_SHOWN = 20
FORGOT, UNFOLLOWED = "capsa.history.forget/1", "capsa.history.unfollow/1"


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    _attach_import(actions.add_parser("import", help="take in exports, or a browser's own history"))
    listing = actions.add_parser("list", help="what was taken in (also without an action)")
    listing.add_argument("--queries", action="store_true", help="also the newest searches on the web")
    forget = actions.add_parser("forget", help="remove pages, visits and searches for good")
    forget.add_argument("--site", metavar="HOST", default="", help="of this host and its subdomains")
    forget.add_argument("--since", metavar="DATE", help="on this day or later: YYYY-MM-DD or 30d, 6w, 3m, 1y")
    forget.add_argument("--until", metavar="DATE", help="on this day or earlier")
    unfollow = actions.add_parser("unfollow", help="read a browser's history no more by itself")
    unfollow.add_argument("path", nargs="?", metavar="FILE", help="one of those listed; default: all")
    for place in (parser, listing, forget, unfollow):
        place.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON record"
        )


def _attach_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="exports, or folders with some; default: known ones again",
    )
    known = f"the history of this browser on this machine: {', '.join(NAMES)}"
    parser.add_argument("--browser", choices=NAMES, metavar="NAME", help=known)
    parser.add_argument("--device", metavar="NAME", default="", help="the device that the export is from")
    follow = parser.add_mutually_exclusive_group()
    follow.add_argument(
        "--follow",
        action="store_true",
        help="read it again every ten minutes in the background",
    )
    follow.add_argument("--no-follow", action="store_true", help="do not ask whether to follow it")
    parser.add_argument("--local", action="store_true", help="also pages of this machine and the own network")
    parser.add_argument("--forgotten", action="store_true", help="also what was forgotten before")
    parser.add_argument("--json", action="store_true", help="print one JSON record (capsa.history.import/1)")
    parser.add_argument("--quiet", "-q", action="store_true", help="no progress bar")


def run(args: argparse.Namespace) -> int:
    """Do the action; listing is the default."""
    actions: Mapping[str | None, Callable[[argparse.Namespace], int]] = {
        "import": _import,
        "forget": _forget,
        "unfollow": _unfollow,
    }
    return actions.get(args.action, _list)(args)


def _import(args: argparse.Namespace) -> int:
    from ..history.importing import Importing, Options
    from ..history.progress import Bar

    paths = _exports(args)
    options = Options(
        device=args.device,
        local=args.local,
        forgotten=args.forgotten,
        followed=args.follow or (_is_asked(args) and _wants_to_follow(args.browser)),
        anew=args.forgotten,
    )
    settings = load_settings(args.home)
    with open_writer(args.home) as writer, Bar(args.quiet or args.json) as show:
        report = Importing(writer, settings, show, options).run(paths)
    _tell(args, report)
    if not report.complete:
        return INTERRUPTED
    return 1 if report.failed else 0


def _tell(args: argparse.Namespace, report: "ImportReport") -> None:
    for note in report.notes:
        say(f"capsa: {note}")
    if not report.complete:
        say("capsa: stopped; what was read so far is kept, `capsa history import` goes on with the rest")
    if args.json:
        print_json(report.to_json())
    else:
        print_lines(safe(line) for line in report.lines())


def _exports(args: argparse.Namespace) -> list[Path]:
    """The exports that are meant; UsageError or UnavailableError when there are none."""
    if args.browser:
        return _profiles(args.browser)
    if not args.paths:
        return _known_exports(args)
    found = [export for path in args.paths for export in _in_path(Path(path).expanduser())]
    if not found:
        raise UnavailableError(f"{show_path(args.paths[0])}: no export of a browser is in this folder")
    return list(dict.fromkeys(found))


def _in_path(path: Path) -> Iterator[Path]:
    from ..history.finding import find_exports

    real = path.resolve()
    if real.is_dir():
        yield from find_exports(real)
    elif real.is_file():
        yield real
    else:
        raise UsageError(f"{show_path(str(path))}: neither a file nor a folder")


def _profiles(browser: str) -> list[Path]:
    found = find_profiles(browser)
    if not found:
        there = ", ".join(installed()) or "of no browser that capsa knows"
        raise UnavailableError(f"no history of {browser} was found, but {there}; its file can be named")
    return found


def _known_exports(args: argparse.Namespace) -> list[Path]:
    if not database_path(args.home).exists():
        raise UsageError("nothing was imported yet; name a file, a folder, or --browser NAME")
    from capsa.store.reader import Reader
    from capsa.store.visited import read_exports

    with Reader.open(args.home) as reader:
        known = [Path(os.fsdecode(export.path)) for export in read_exports(reader.connection)]
    return [path for path in known if path.is_file()]


def _is_asked(args: argparse.Namespace) -> bool:
    """Whether somebody is there to be asked whether to follow a browser."""
    quiet = args.json or args.quiet or args.no_follow
    return bool(args.browser) and not quiet and sys.stdin.isatty() and sys.stderr.isatty()


def _wants_to_follow(browser: str) -> bool:
    sys.stderr.write(f"Read {browser} again every few minutes while `capsa start` runs? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _list(args: argparse.Namespace) -> int:
    require_index(args.home, "; begin with `capsa history import FILE`")
    from capsa.store.reader import Reader
    from capsa.store.visited import read_queries, read_summary

    with Reader.open(args.home) as reader, reader.snapshot():
        summary = read_summary(reader.connection)
        queries = read_queries(reader.connection, QUERIES_SHOWN) if getattr(args, "queries", False) else []
    if _wants_json(args):
        print_json(to_json(summary, queries))
    else:
        print_lines(safe(line) for line in lines(summary, queries))
    return 0


def _forget(args: argparse.Namespace) -> int:
    if not (args.site or args.since or args.until):
        raise UsageError("say what to forget: --site HOST, --since DATE, --until DATE, or several of them")
    require_index(args.home, ", so there is nothing to forget")
    today = date.today()
    host = host_name(args.site) if args.site else ""
    since = round(parse_date(args.since, today) * 1e6) if args.since else 0
    until = Instant.now()
    if args.until:
        until = min(until, round(parse_date(args.until, today, end_of_day=True) * 1e6))
    forgot = forget_visits(args.home, host, since, until)
    if _wants_json(args):
        print_json({"schema": FORGOT, **asdict(forgot)})
        return 0
    gone = f"{count(forgot.pages, 'page')}, {count(forgot.visits, 'visit')}"
    queries = count(forgot.queries, "search query", "search queries")
    print_lines([f"forgot {gone} and {queries}; they do not come back with the next import"])
    return 0


def _unfollow(args: argparse.Namespace) -> int:
    from capsa.store.visited import read_exports

    require_index(args.home, ", so nothing is followed")
    wanted = os.fsencode(Path(args.path).expanduser().resolve()) if args.path else None
    with open_writer(args.home) as writer:
        followed = [each.path for each in read_exports(writer.history.connection) if each.followed]
        ended = [path for path in followed if wanted in (None, path)]
        for path in ended:
            writer.history.follow(path, False)
    if wanted is not None and not ended:
        raise UsageError(f"{show_path(args.path)}: is not followed; see `capsa history list`")
    names = [show_path(path) for path in ended]
    if _wants_json(args):
        print_json({"schema": UNFOLLOWED, "unfollowed": names})
    else:
        print_lines([f"{name} is followed no more" for name in names] or ["nothing was followed"])
    return 0


def _wants_json(args: argparse.Namespace) -> bool:
    # Where nobody asked for it, an action's own argument leaves that of the command as it was.
    return getattr(args, "json", False)
