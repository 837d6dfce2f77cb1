"""``capsa eval mine``: how well your own index finds, without labels; the index is only read."""

import argparse
import json
from pathlib import Path

from capsa.chunkers.errors import CapsaError, UsageError

from .. import options

_QUESTIONS, _VECTORS = 200, 4000


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add = parser.add_argument
    add("--questions", type=int, default=_QUESTIONS, metavar="N", help=f"to ask at most ({_QUESTIONS})")
    add("--vectors", type=int, default=_VECTORS, metavar="N", help=f"to make anew at most ({_VECTORS})")
    add("--seed", type=int, default=None, metavar="N", help="another number, other questions")
    add("--out", type=Path, default=None, metavar="FILE", help="also write the result there as JSON")
    add("--json", action="store_true", help="print the result as JSON (capsa.eval.mine/1)")


def run(args: argparse.Namespace) -> int:
    """Measure and print; nothing else is written anywhere."""
    from capsa.store.private import write_file

    from ..compare import SEED
    from ..mine_report import Steps, Wanted, examine, steps_of
    from ..mine_table import mine_lines

    for name in ("questions", "vectors"):
        if getattr(args, name) < 1:
            raise UsageError(f"--{name} {getattr(args, name)}: must be at least 1")
    if args.seed is not None and args.seed < 0:
        raise UsageError(f"--seed {args.seed}: must not be negative")
    wanted = Wanted(args.vectors, args.questions, SEED if args.seed is None else args.seed)
    with options.progress(*steps_of(wanted)) as advance:
        found = examine(args.home, wanted, Steps(*advance))
    if args.out:
        try:
            write_file(args.out.absolute(), json.dumps(found, indent=1).encode())
        except OSError as error:
            raise CapsaError(f"{args.out}: cannot be written: {error.strerror}") from error
    if args.json:
        options.write_json(found)
    else:
        options.write_lines(mine_lines(found))
    return 0
