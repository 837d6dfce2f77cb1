"""``capsa doctor``: check the index, and repair it."""

import argparse
from collections.abc import Iterable
from pathlib import Path

from capsa.chunkers.errors import DamagedError, StoreError
from capsa.store.records import Finding

from ..beginning import require_index
from ..encoder import find_encoder
from ..printing import print_json, print_lines
from ..serving.channel import daemon_aside
from ..terminal import safe, say
from ..writing import open_writer


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--repair", action="store_true", help="mend what can be mended")
    parser.add_argument("--json", action="store_true", help="print one JSON record (capsa.doctor/1)")


def run(args: argparse.Namespace) -> int:
    """Check; exit 1 when something is wrong and was not mended."""
    require_index(args.home)
    findings = [*_check(args.home), _model_finding(args)]
    if args.repair and any(not finding.ok and finding.repairable for finding in findings):
        _repair(args.home)
        findings = [*_check(args.home), _model_finding(args)]
    if args.json:
        print_json({"schema": "capsa.doctor/1", "ok": _all_ok(findings), "findings": _records(findings)})
    else:
        print_lines(f"{'ok' if f.ok else 'WRONG':<6} {f.check}: {safe(f.message)}" for f in findings)
        if not args.repair and any(not finding.ok and finding.repairable for finding in findings):
            say("capsa: `capsa doctor --repair` mends this")
    return 0 if _all_ok(findings) else 1


def _check(home: Path) -> list[Finding]:
    """All checks; while another capsa writes, those that need no writer."""
    from capsa.store.reader import Reader
    from capsa.store.writer import Writer

    try:
        try:
            with Writer.open(home) as writer:
                return writer.check()
        except DamagedError:
            raise
        except StoreError:
            with Reader.open(home) as reader:
                return reader.check()
    except DamagedError as error:
        return [Finding("database", False, str(error.__cause__), repairable=True)]


def _repair(home: Path) -> None:
    try:
        with open_writer(home) as writer:
            if all(finding.ok for finding in writer.check() if finding.check == "database"):
                writer.repair()
                return
    except DamagedError:
        pass  # it is put aside below
    _begin_anew(home)


def _begin_anew(home: Path) -> None:
    """Put a database beyond repair aside and begin another with the same sources."""
    from capsa.store.repair import known_folders, move_aside
    from capsa.store.writer import Writer

    folders = known_folders(home)
    with daemon_aside(home):
        aside = move_aside(home)
        with Writer.open(home) as writer:
            for folder in folders:
                writer.add_source(folder)
    say(f"capsa: the index was beyond repair and is now {aside}")
    what = "`capsa index`" if folders else "`capsa index FOLDER` with each of your folders"
    say(f"capsa: {what} builds it anew from your documents")


def _model_finding(args: argparse.Namespace) -> Finding:
    encoder = find_encoder(args.home)
    return Finding("model", encoder.usable, encoder.problem or encoder.model.name)


def _all_ok(findings: Iterable[Finding]) -> bool:
    return all(finding.ok for finding in findings)


def _records(findings: Iterable[Finding]) -> list[dict[str, object]]:
    return [
        {"check": f.check, "ok": f.ok, "message": f.message, "repairable": f.repairable} for f in findings
    ]
