"""The command line: finds the command, runs it, and makes one line and one exit code of every error.

Exit codes: 0 done, 1 error, 2 wrong usage, 3 the thing asked for is not available, 130 stopped by Ctrl-C
or, while something is saved, by SIGTERM.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from capsa.chunkers.errors import CapsaError, UsageError

INTERRUPTED = 130
# Commands that save what they have when they are stopped.
SAVING = frozenset({"index", "history", "tune"})


class Command(NamedTuple):
    """A command: the module that does it has ``attach(parser)`` and ``run(args) -> int``."""

    name: str
    module: str
    help: str


# The order is that of the help. Only the chosen command's module is imported: `capsa search` starts fast.
COMMANDS = (
    Command("index", "capsa.daemon.commands.index", "add folders and index now"),
    Command("search", "capsa.daemon.commands.search", "search what is indexed"),
    Command("open", "capsa.daemon.commands.open", "a page to search in, in your browser"),
    Command("start", "capsa.daemon.commands.start", "watch and index in the background"),
    Command("stop", "capsa.daemon.commands.control", "end what runs in the background"),
    Command("pause", "capsa.daemon.commands.control", "index no more for now; searches go on"),
    Command("resume", "capsa.daemon.commands.control", "go on indexing"),
    Command("service", "capsa.daemon.commands.service", "start capsa at every login"),
    Command("run", "capsa.daemon.commands.run", "the same in the foreground"),
    Command("status", "capsa.daemon.commands.status", "sources, counts, failures, model, index"),
    Command("sources", "capsa.daemon.commands.sources", "list, add or remove folders"),
    Command("forget", "capsa.daemon.commands.forget", "remove a path from everything capsa keeps"),
    Command("history", "capsa.daemon.commands.history", "visited pages: take in what browsers export"),
    Command("storage", "capsa.daemon.commands.storage", "bytes by part"),
    Command("tune", "capsa.daemon.commands.tune", "storage against recall: measure, choose, apply"),
    Command("doctor", "capsa.daemon.commands.doctor", "check the index, and repair it"),
    Command("mcp", "capsa.daemon.commands.mcp", "let assistants search and read, over MCP"),
    Command("model", "capsa.daemon.commands.model", "list, choose or add embedding models"),
    # A module of capsa.eval, named and not imported: daemon and eval are siblings, neither imports the other.
    Command("eval", "capsa.eval.cli", "measure retrieval against questions with evidence"),
)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are UsageErrors, and which knows the options that may stand anywhere."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)
        # Without a default, so that a command's parser leaves alone what stood before the command.
        group = self.add_argument_group("everywhere")
        group.add_argument(
            "--home",
            metavar="FOLDER",
            default=argparse.SUPPRESS,
            help="where capsa keeps its files (default: $CAPSA_HOME, else the system's data folder)",
        )
        group.add_argument(
            "--debug", action="store_true", default=argparse.SUPPRESS, help="show where an error came from"
        )

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see `{self.prog} --help`)")

    def format_help(self) -> str:
        """Help with the options that may stand anywhere at its end."""
        self._action_groups.sort(key=lambda group: group.title == "everywhere")
        return super().format_help()


class _Version(argparse.Action):
    """Print the version, which is looked up only when asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        from importlib.metadata import version

        print(f"capsa {version('capsa')}")  # noqa: T201
        parser.exit()


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _finish(run(arguments))
    except CapsaError as error:
        return _tell(error, debug="--debug" in arguments)
    except KeyboardInterrupt:
        return _stopped()
    except BrokenPipeError:
        _close_stdout()
        return 0
    except OSError as error:  # a home on a disk that is full, gone, or another user's
        place = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        told = CapsaError(f"{place}{error.strerror or error}")
        told.__cause__ = error
        return _tell(told, debug="--debug" in arguments)
    except SystemExit as stop:  # argparse after --help and --version
        return stop.code if isinstance(stop.code, int) else 0


def run(arguments: Sequence[str]) -> int:
    """Parse the arguments and run their command."""
    parser = build_parser(_chosen(arguments))
    args, unknown = parser.parse_known_args(arguments)
    if unknown:
        raise UsageError(_unknown_options(unknown, args.command))
    if args.command is None:
        parser.print_help()
        return 0
    if not hasattr(args, "home"):
        args.home = None
    args.home = _home(args.home)
    if args.command in SAVING:
        _heed_sigterm()
    code = import_module(_command(args.command).module).run(args)
    return int(code)


def build_parser(chosen: str | None, *, all_commands: bool = False) -> argparse.ArgumentParser:
    """The whole parser; only the chosen command (or, for checks, every command) gets its own arguments."""
    parser = _Parser(
        prog="capsa",
        description="Search your own documents on your own machine.",
        epilog="exit codes: 0 done, 1 error, 2 wrong usage, 3 not available, 130 stopped by Ctrl-C",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for command in COMMANDS:
        sub = commands.add_parser(command.name, help=command.help, description=_sentence(command.help))
        if all_commands or command.name == chosen:
            import_module(command.module).attach(sub)
    return parser


def _unknown_options(unknown: Sequence[str], command: str | None) -> str:
    prog = f"capsa {command}" if command else "capsa"
    hint = "; -- before the query makes words of what begins with -" if command == "search" else ""
    return f"unknown: {' '.join(unknown)} (see `{prog} --help`{hint})"


def _chosen(arguments: Sequence[str]) -> str | None:
    """The first word that is a command's name and not the value of --home."""
    names = {command.name for command in COMMANDS}
    for place, word in enumerate(arguments):
        if word in names and (place == 0 or arguments[place - 1] != "--home"):
            return word
        if not word.startswith("-") and (place == 0 or arguments[place - 1] != "--home"):
            return None
    return None


def _command(name: str) -> Command:
    return next(command for command in COMMANDS if command.name == name)


def _home(given: str | None) -> Path:
    if given is not None:
        return Path(given).expanduser().absolute()
    from capsa.store.home import home_folder

    return home_folder()


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _finish(code: int) -> int:
    sys.stdout.flush()  # here, where a closed pipe is still caught
    return code


def _tell(error: CapsaError, debug: bool) -> int:
    from .terminal import say

    if debug:
        import traceback

        traceback.print_exception(error)
    say(f"capsa: {error}")
    return error.exit_code


def _heed_sigterm() -> None:
    """Have SIGTERM, which ends a session or a service, be what Ctrl-C is."""
    import signal
    import threading

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def _stopped() -> int:
    from .terminal import say

    say("capsa: stopped")
    return INTERRUPTED


def _close_stdout() -> None:
    """Point stdout to nowhere, so that the interpreter's own flush at the end meets no closed pipe."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


if __name__ == "__main__":
    sys.exit(main())
