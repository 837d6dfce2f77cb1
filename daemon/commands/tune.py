"""``capsa tune``: storage against recall on the user's own documents; choose, apply, undo."""

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import CapsaError, UsageError

from .. import retuning
from ..cli import INTERRUPTED
from ..printing import print_json, print_lines, size
from ..progress import open_progress
from ..retuning import Target
from ..settings import load_settings
from ..terminal import say
from ..tuning_record import keep_tuning

SCHEMA = "capsa.tune/1"
# Named and not imported, as the command line does: daemon and eval are siblings, neither imports the other.
MEASURING, CHOOSING, PLOTTING, SHOWING = (
    f"capsa.eval.{name}" for name in ("tuning", "tuning_choice", "tuning_plot", "options")
)
QUESTIONS, VECTORS = 200, 2500
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
NOT_OFFERED = (
    "not measured: another model, whose vectors would all be made anew (`capsa model use`)\n"
    "not offered: less detail in the keyword index (without it ranking fails), text read from the files (a "
    "changed file would change what was found), the first hits embedded anew (a quarter of a second a search)"
)


def attach(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add = parser.add_argument
    wish = parser.add_mutually_exclusive_group()
    wish.add_argument("--budget", type=_bytes, metavar="50MB", help="what the whole index may take")
    wish.add_argument(
        "--recall", type=float, metavar="0.95", help="the share to find of what float32 vectors find"
    )
    wish.add_argument(
        "--profile",
        choices=("tiny", "balanced", "best"),
        default="balanced",
        help="keep 95 %% (tiny) or 99 %% (balanced, the default) of what float32 vectors find, or the most",
    )
    wish.add_argument("--undo", action="store_true", help="go back to what was before the last --apply")
    add("--apply", action="store_true", help="keep the index as chosen; what that takes is said first")
    add("--plot", type=Path, metavar="FILE", help="also draw the plot into FILE, .svg or .html")
    add("--questions", type=int, default=QUESTIONS, metavar="N", help=f"to ask at most ({QUESTIONS})")
    add("--vectors", type=int, default=VECTORS, metavar="N", help=f"of the sample ({VECTORS:,})")
    add("--json", action="store_true", help=f"print one JSON record ({SCHEMA})")


def run(args: argparse.Namespace) -> int:
    """Measure, choose and print; apply or undo when asked to."""
    if args.undo:
        return _apply(args, retuning.before(args.home), {})
    _check(args)
    now = retuning.present(args.home)
    found = _measure(args)
    choosing = import_module(CHOOSING)
    wish = choosing.Wish(args.budget, args.recall, args.profile)
    choice = choosing.choose(found["points"], wish, found["questions"])
    target = Target(choice.point["vectors"], choice.point["chunker"], choice.point["codebook"].hex())
    record = _record(found, choice, retuning.cost(args.home, target))
    keep_tuning(args.home, record)
    if args.plot:
        import_module(PLOTTING).write(args.plot, found["points"])
    if not args.json:
        print_lines(_lines(found, choice, record))
    if not args.apply or target == now:
        if args.json:
            print_json(record)
        return 0
    if not choice.met:
        raise CapsaError(f"nothing was applied: {choice.why}")
    return _apply(args, target, record)


def _check(args: argparse.Namespace) -> None:
    if args.recall is not None and not 0 < args.recall <= 1:
        raise UsageError(f"--recall {args.recall}: must be above 0 and at most 1")
    for name in ("questions", "vectors"):
        if getattr(args, name) < 1:
            raise UsageError(f"--{name} {getattr(args, name)}: must be at least 1")
    if args.plot and args.plot.suffix not in (".svg", ".html", ".htm"):
        raise UsageError(f"{args.plot}: a plot is written as .svg or .html")


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?)b?", text.strip().lower())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 50MB")
    return round(float(found[1]) * UNITS[found[2]])


def _measure(args: argparse.Namespace) -> dict[str, Any]:
    measuring, showing = import_module(MEASURING), import_module(SHOWING)
    wanted = measuring.Wanted(args.vectors, args.questions)
    asked = measuring.trials() * args.questions
    threads = load_settings(args.home).thread_count()
    tasks = ("embedding", 2 * args.vectors), ("asking", asked)
    with showing.progress(*tasks) as steps:
        found: dict[str, Any] = measuring.measure(args.home, wanted, *steps, threads)
    return found


def _apply(args: argparse.Namespace, target: Target, record: Mapping[str, Any]) -> int:
    told = retuning.cost(args.home, target)
    say(f"capsa: {target.vectors}, {target.chunker}: {told}")
    with open_progress(args.json) as progress:
        applied = retuning.apply(args.home, target, progress)
    for note in applied.notes:
        say(f"capsa: {note}")
    if args.json:
        print_json({"schema": SCHEMA, **record, "applied": applied.complete, "how": applied.how})
    else:
        print_lines([f"{'applied' if applied.complete else 'not applied'}: {applied.how}"])
        if applied.complete:
            print_lines(["`capsa tune --undo` goes back"])
    return 0 if applied.complete else INTERRUPTED


def _record(found: Mapping[str, Any], choice: Any, told: str) -> dict[str, Any]:
    points = [_told(point) for point in found["points"]]
    return {
        "schema": SCHEMA,
        **{name: found[name] for name in ("now", "home", "sample", "questions")},
        "points": points,
        "frontier": [_told(point) for point in import_module(CHOOSING).on_frontier(found["points"])],
        "choice": {**_told(choice.point), "why": choice.why, "met": choice.met, "cost": told},
    }


def _told(point: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in point.items() if name != "codebook"}


def _lines(found: Mapping[str, Any], choice: Any, record: Mapping[str, Any]) -> Iterator[str]:
    points, sample = found["points"], found["sample"]
    now = next(point for point in points if _is_now(point, found["now"]))
    which = "all documents" if sample["whole"] else f"a sample of {sample['documents']:,} documents"
    yield f"{found['questions']} questions made from {which} with {sample['vectors']:,} vectors"
    yield ""
    front = import_module(CHOOSING).on_frontier(points)
    shown = [*front, *(point for point in (now, choice.point) if point not in front)]
    yield from _table(sorted(shown, key=lambda point: int(point["bytes"])), now, choice.point)
    yield "kept: the lowest share of what float32 vectors find with the present chunks, in the first 1, 5, 10"
    yield "hits of a hybrid search or 10 of a dense one; all else is hybrid. Against exact: points, 95 %;"
    yield import_module(CHOOSING).roughness(found["questions"])
    yield ""
    yield from import_module(PLOTTING).draw(points, now, choice.point)
    yield ""
    yield f"choice: {import_module(PLOTTING).describe(choice.point)}: {choice.why}"
    yield f"to apply it takes {record['choice']['cost']}"
    yield from NOT_OFFERED.splitlines()


def _table(
    shown: Sequence[Mapping[str, Any]], now: Mapping[str, Any], chosen: Mapping[str, Any]
) -> Iterator[str]:
    names = "".join(f"{name:>7}" for name in ("kept", "@5", "@10", "MRR"))
    yield f"{'vectors':<12}{'chunks':<32}{'index':>10}{names}  {'@10 against exact':<20}{'ms':>6}"
    for point in shown:
        lost = point["difference@10"]
        bounds = "{:+.1f} [{:+.1f}, {:+.1f}]".format(
            *(100 * lost[name] + 0.0 for name in ("mean", "low", "high"))
        )
        name = point["vectors"] + ("+axes" if point["made_axes"] else "")
        marks = [word for word, other in (("now", now), ("chosen", chosen)) if point == other]
        figures = "".join(f"{point[metric]:>7.3f}" for metric in ("kept", "recall@5", "recall@10", "mrr"))
        yield (
            f"{name:<12}{point['chunker']:<32}{size(point['bytes']):>10}{figures}  {bounds:<20}"
            f"{point['search_ms']:>6.1f}  {' '.join(marks)}"
        ).rstrip()


def _is_now(point: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    return all(point[name] == value for name, value in now.items())
