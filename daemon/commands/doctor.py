"""``capsa doctor``: check the index, and repair it."""

import argparse
from collections.abc import Iterable

from capsa.chunkers.errors import UnavailableError
from capsa.store.home import database_path
from capsa.store.records import Finding

from ..encoder import find_encoder
from ..printing import print_json, print_lines
from ..terminal import safe, say


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--repair", action="store_true", help="mend what can be mended")
    parser.add_argument("--json", action="store_true", help="print one JSON record (capsa.doctor/1)")


def run(args: argparse.Namespace) -> int:
    """Check; exit 1 when something is wrong and was not mended."""
    if not database_path(args.home).exists():
        raise UnavailableError("nothing is indexed yet; begin with `capsa index FOLDER`")
    findings = [*_check(args), _model_finding(args)]
    if args.repair and any(not finding.ok and finding.repairable for finding in findings):
        _repair(args)
        findings = [*_check(args), _model_finding(args)]
    if args.json:
        print_json({"schema": "capsa.doctor/1", "ok": _all_ok(findings), "findings": _records(findings)})
    else:
        print_lines(f"{'ok' if f.ok else 'WRONG':<6} {f.check}: {safe(f.message)}" for f in findings)
        if not args.repair and any(not finding.ok and finding.repairable for finding in findings):
            say("capsa: `capsa doctor --repair` mends this")
    return 0 if _all_ok(findings) else 1


def _check(args: argparse.Namespace) -> list[Finding]:
    from capsa.store.reader import Reader

    with Reader.open(args.home) as reader:
        return reader.check()


def _repair(args: argparse.Namespace) -> None:
    from capsa.store.writer import Writer

    with Writer.open(args.home) as writer:
        writer.repair()


def _model_finding(args: argparse.Namespace) -> Finding:
    encoder = find_encoder(args.home)
    return Finding("model", encoder.usable, encoder.problem or encoder.model.name)


def _all_ok(findings: Iterable[Finding]) -> bool:
    return all(finding.ok for finding in findings)


def _records(findings: Iterable[Finding]) -> list[dict[str, object]]:
    return [
        {"check": f.check, "ok": f.ok, "message": f.message, "repairable": f.repairable} for f in findings
    ]
