"""Runs as one HTML page that needs nothing else: tables, the papers' figures, and how it all was made."""

from collections.abc import Iterator

from .report_figures import dimensions, failures, frontiers, sweep
from .report_markup import Content, Markup, join, table, tag
from .report_page import Section, note, page
from .report_tables import by_document, by_type, coverage, heat_maps, leaders, models, versus
from .report_view import View
from .stats import selected
from .stats_runs import Loaded

TITLE = "capsa evaluation"
_SCOPE = {"document": "inside each question's own document", "corpus": "among all documents"}
_RETRIEVERS = {
    "bm25": "bm25: BM25Okapi over words as they stand, as in the parser study",
    "dense": "dense: exact search of float32 vectors (with a code's name after it: of codes of that kind)",
    "rrf": "rrf: reciprocal rank fusion of these two",
    "hybrid": "hybrid: the search that users get, keywords and codes together",
}
# The paper's figures are of the first five, its models and tests of the first ten.
FIGURES, TESTS = "er@5", "er@10"


def report(loaded: Loaded, scope: str, matcher: str) -> Markup:
    """Return the page; a section for which the runs have nothing is left out."""
    view = View(loaded, scope, matcher)
    sections = [
        leaders(view, TESTS),
        heat_maps(view, FIGURES),
        models(view, TESTS),
        versus(view, TESTS),
        by_document(view, TESTS),
        by_type(view, FIGURES),
        coverage(view),
        sweep(view, FIGURES),
        dimensions(view, FIGURES),
        frontiers(view, FIGURES),
        failures(view),
        _origin(loaded),
    ]
    return page(TITLE, join(_intro(view)), [section for section in sections if section])


def _intro(view: View) -> Iterator[Content]:
    matrix = view.matrix(TESTS)
    sets = ", ".join(dict.fromkeys(name for name, _ in matrix.questions))
    counts = f"{len(matrix.setups)} configurations, {len(matrix.questions)} questions"
    yield tag("p", f"{counts} about {len(matrix.names)} documents ({sets}).")
    yield tag("p", f"Searched {_SCOPE[view.scope]}; evidence matched by the {view.matcher} matcher.")
    yield tag("p", "Evidence Recall@k: the share of a question's evidence that its first k chunks hold.")
    there = {name.split()[0] for name in view.retrievers}
    yield tag("p", f"{'; '.join(text for name, text in _RETRIEVERS.items() if name in there)}.")
    if chosen := selected(view.loaded):
        pair = f"{chosen['parser']} / {chosen['chunker']}"
        rule = "The pre-declared rule (best mean dense Evidence Recall@5, paper match)"
        yield tag("p", f"{rule} selects {pair}.")
    for text in view.loaded.notes:
        yield tag("p", tag("strong", "Note: "), f"{text}.")
    gaps = {f"{gap['axis']} {gap['name']}" for record in view.loaded.records for gap in record["gaps"]}
    if gaps:
        yield tag("p", f"Asked for and not here: {', '.join(sorted(gaps))}.")


def _origin(loaded: Loaded) -> Section:
    parts: list[Content] = []
    for folder, record in zip(loaded.folders, loaded.records, strict=True):
        sets = [
            [
                each["name"],
                str(each.get("count", "")),
                *(each[f"{part}_sha256"][:16] for part in ("questions", "corpus")),
            ]
            for each in record["sets"]
        ]
        versions = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
        models = ", ".join(f"{name} {mark}" for name, mark in record["models"].items()) or "none"
        gaps = [[gap["axis"], gap["name"], gap["reason"]] for gap in record["gaps"]]
        parts += [
            tag("h3", f"capsa eval {record['command']}: {folder.name}"),
            table(("set", "questions", "SHA-256 of them", "SHA-256 of the documents"), sets),
            note(
                f"Models: {models}. Seed {record['seed']}. {versions}. Code ",
                tag("code", record["code_sha256"][:16]),
                ".",
            ),
        ]
        if gaps:
            parts.append(table(("not here", "name", "why"), gaps, left=3))
    return Section("origin", "How it was made", join(parts))
