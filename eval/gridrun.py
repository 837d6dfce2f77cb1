"""A grid into a run's folder: groups that are there already are left alone, the others done and kept."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import UnavailableError
from capsa.store.models import load_model

from .compare import SEED
from .gaps import Gap
from .grid import Group, Plan, do_group
from .kept import KeptGroups
from .provenance import code_digest, corpus_digest, fingerprint, versions
from .runs import Row, RunFolder, to_csv
from .workshop import Workshop


@dataclass(frozen=True, slots=True)
class Done:
    """A group with what came of it: rows and records of its cells, and the gaps that stood in the way."""

    group: Group
    rows: Sequence[Row] = ()
    cells: Sequence[dict[str, Any]] = ()
    gaps: Sequence[Gap] = ()


# Does groups of a plan that it knows, in any order and anywhere.
Iterate = Callable[[Sequence[Group]], Iterator[Done]]


def run_grid(
    plan: Plan, run: RunFolder, execute: Iterate, step: Callable[[int], None], kept: KeptGroups
) -> dict[str, Any]:
    """Do the groups that neither the run has yet nor ``kept``; return the run's record.

    The run's description comes from ``describe``; ``step`` is told how many groups are done.
    """
    gaps: list[dict[str, str]] = list(run.record["gaps"])
    groups = list(plan.groups())
    _copy([group for group in groups if group.name not in run.done], kept, run)
    waiting = [group for group in groups if group.name not in run.done]
    step(len(groups) - len(waiting))
    for done in execute(waiting):
        gaps += [gap for gap in map(asdict, done.gaps) if gap not in gaps]
        if done.rows:
            rows = to_csv(done.rows)
            run.add(done.group.name, rows, done.cells, gaps)
            if not done.gaps:
                kept.put(done.group, rows, done.cells)
        step(1)
    return run.finish(gaps=gaps)


def _copy(groups: Iterable[Group], kept: KeptGroups, run: RunFolder) -> None:
    """Copy the groups that were done before into the run."""
    found = ((group.name, kept.get(group)) for group in groups)
    run.add_all((name, *done) for name, done in found if done)


def do_here(plan: Plan, home: Path, groups: Sequence[Group]) -> Iterator[Done]:
    """Do groups one after another in this process."""
    with Workshop(home) as workshop:
        yield from (do_one(plan, group, workshop) for group in groups)


def do_one(plan: Plan, group: Group, workshop: Workshop) -> Done:
    """Do one group; a parser or a model that turns out not to be usable here is a gap."""
    try:
        workshop.sources(group.questions, group.chunking.parser, "corpus" in plan.scopes)
    except UnavailableError as error:
        return Done(group, gaps=[Gap("parser", group.chunking.parser, str(error))])
    gaps: list[Gap] = []
    return Done(group, *do_group(plan, group, workshop, gaps), gaps)


def describe(plan: Plan, home: Path, command: str, gaps: Iterable[Gap]) -> dict[str, Any]:
    """Return what a run's record says of how it was made; its fingerprint covers all that shapes a row."""
    configuration = {
        "chunkings": [asdict(chunking) for chunking in plan.chunkings],
        "retrievers": list(plan.retrievers),
        "scopes": list(plan.scopes),
        "codes": plan.codes,
    }
    shaping = {
        "command": command,
        "configuration": configuration,
        "models": {name: load_model(home, name).fingerprint for name in plan.models},
        "sets": [
            {
                "name": each.name,
                "corpus": str(each.root),
                "corpus_sha256": corpus_digest(each.root),
                "questions": each.source,
                "questions_sha256": each.sha256,
                "count": len(each.questions),
            }
            for each in plan.sets
        ],
        "code_sha256": code_digest(),
        "versions": versions(),
        "seed": SEED,
    }
    return {**shaping, "fingerprint": fingerprint(shaping), "gaps": [asdict(gap) for gap in gaps]}
