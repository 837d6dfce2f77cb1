"""What visits should count in a page's score: python visit_boost.py [FOLDER_OF_HET].

Known items: a made history, questions of three words of a page's title, and three laws for which page is
wanted: any page, one by its visits in the last 30 days, or half of each. Then, with a folder that has
questions.jsonl and docs, what 20,000 pages known by title and address only do to questions whose answers lie
in files: half of the titles are made, half are headings of these very files.
"""

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import mean

from capsa.daemon.cli import main as capsa
from capsa.daemon.encoder import find_encoder, open_embedder
from capsa.daemon.history.embedding import embed_stubs
from capsa.daemon.searching import Searching
from capsa.daemon.settings import Settings
from capsa.eval.matching import normalise
from capsa.eval.questions import Question, load_questions
from capsa.store import boost
from capsa.store.reader import Reader
from capsa.store.records import Hit, Query
from capsa.store.rows import StoredDocument
from capsa.store.visits import Told
from capsa.store.writer import Writer

PAGES, STUBS, QUESTIONS, DEPTH = 5_000, 20_000, 300, 20
_DAY = 86_400_000_000
ACTIONS = (
    *("How to choose", "Repairing", "A short history of", "Ten mistakes with", "Buying", "The chemistry of"),
    *("Review:", "Storing", "Cleaning", "What nobody says about", "Beginner's guide to", "Comparing"),
)
THINGS = (
    *(
        "apple trees",
        "bicycle chains",
        "wool blankets",
        "espresso grinders",
        "hiking boots",
        "violin strings",
    ),
    *(
        "solar panels",
        "sourdough starters",
        "garden ponds",
        "mortgage rates",
        "rental contracts",
        "tax forms",
    ),
    *("train tickets", "camera lenses", "fountain pens", "bread ovens", "rain barrels", "wood stoves"),
    *(
        "mountain huts",
        "river kayaks",
        "bird feeders",
        "chess openings",
        "language courses",
        "school uniforms",
    ),
    *("heat pumps", "roof tiles", "concrete floors", "oak tables", "steel knives", "cast iron pans"),
)
DETAILS = (
    *(
        "in winter",
        "for small flats",
        "on a budget",
        "with children",
        "by the sea",
        "without tools",
        "in 2025",
    ),
    *("under pressure", "for experts", "at home", "step by step", "in old houses", "for the north", "abroad"),
)
SITES = (
    "craftnotes.org",
    "dailyledger.net",
    "thegreenpath.com",
    "homeworks.info",
    "slowreader.blog",
    "ask.io",
)
# Recency, frequency and days of half-life: none, the program's, and some around them.
VARIANTS = (
    (0, 0, 30),
    (0.06, 0.04, 30),
    (0.12, 0.08, 30),
    (0.03, 0.02, 30),
    (0.06, 0.04, 7),
    (0.06, 0.04, 90),
)


def made_pages(chance: random.Random, titles: Iterable[str]) -> list[Told]:
    """Pages with visits in the last year: a few pages have most of them (Pareto, 1.2)."""
    now = time.time_ns() // 1000
    pages = []
    for number, title in enumerate(titles):
        count = min(round(chance.paretovariate(1.2)), 200)
        times = sorted({now - round(chance.random() * 365 * _DAY) for _ in range(count)})
        uri = f"https://{chance.choice(SITES)}/{number}"
        pages.append(Told(uri, uri, title, times[-1], tuple((when, "") for when in times)))
    return pages


def made_titles(chance: random.Random, number: int) -> list[str]:
    """Titles that share their words with many others, all different; 5,040 are without a number."""
    made = [f"{action} {thing} {detail}" for action in ACTIONS for thing in THINGS for detail in DETAILS]
    again = cycled(chance, made, number)
    return [f"{title} #{place}" if place >= len(made) else title for place, title in enumerate(again)]


def cycled(chance: random.Random, titles: list[str], number: int) -> list[str]:
    """So many of the titles in any order, again from the first when they are too few."""
    chance.shuffle(titles)
    return [titles[place % len(titles)] for place in range(number)]


def add_pages(home: Path, pages: Sequence[Told]) -> None:
    """Take pages in, with vectors."""
    with Writer.open(home) as writer:
        for start in range(0, len(pages), 5000):
            writer.history.put("firefox", pages[start : start + 5000])
        encoder = find_encoder(home)
        embed_stubs(writer, lambda: open_embedder(encoder, writer, Settings()), lambda *_: None)
        writer.publish()


def wanted(chance: random.Random, pages: Sequence[Told], again: float) -> Told:
    """The page that is looked for: with this chance one by its visits in the last 30 days, else any."""
    if chance.random() >= again:
        return chance.choice(pages)
    since = time.time_ns() // 1000 - 30 * _DAY
    return chance.choices(pages, [sum(when > since for when, _ in page.visits) for page in pages])[0]


def asked(chance: random.Random, title: str) -> str:
    """Three words of the title, in their order."""
    words = [word for word in title.split() if len(word) > 2]
    return " ".join(words[place] for place in sorted(chance.sample(range(len(words)), min(3, len(words)))))


def reciprocal(hits: Sequence[Hit], fits: Callable[[Hit], bool]) -> float:
    """One by the rank of the first hit that fits, 0 without one."""
    return next((1 / hit.rank for hit in hits if fits(hit)), 0.0)


def known_items(home: Path) -> None:
    """Print MRR by law and variant."""
    chance = random.Random(6)
    pages = made_pages(chance, made_titles(chance, PAGES))
    add_pages(home, pages)
    for again in (0.0, 0.5, 1.0):
        items = [wanted(chance, pages, again) for _ in range(QUESTIONS)]
        questions = [(asked(chance, page.title), page.uri) for page in items]
        with Searching(home) as searching:
            for variant in VARIANTS:
                boost.RECENCY, boost.FREQUENCY, boost.HALF_LIFE_DAYS = variant
                hits = [searching.search(Query(text, DEPTH)).hits for text, _ in questions]
                pairs = zip(hits, questions, strict=True)
                scores = [reciprocal(found, lambda hit, uri=uri: hit.uri == uri) for found, (_, uri) in pairs]
                sys.stdout.write(f"visited again {again:.0%}, boost {variant}: MRR {mean(scores):.3f}\n")
    boost.RECENCY, boost.FREQUENCY, boost.HALF_LIFE_DAYS = VARIANTS[1]


def among_files(home: Path, folder: Path) -> None:
    """Print recall of evidence in files without pages, with them, and with their visits counted."""
    capsa(["index", str(folder / "docs"), "--quiet"])
    questions = load_questions(folder / "questions.jsonl")
    with Searching(home) as searching:
        show("files alone", searching, questions, True)
    chance = random.Random(7)
    titles = [*made_titles(chance, STUBS // 2), *cycled(chance, headings(home), STUBS // 2)]
    add_pages(home, made_pages(chance, titles))
    with Searching(home) as searching:
        show("with pages, visits not counted", searching, questions, False)
        for variant in VARIANTS[1:3]:
            boost.RECENCY, boost.FREQUENCY, boost.HALF_LIFE_DAYS = variant
            show(f"with pages, boost {variant}", searching, questions, True)


def headings(home: Path) -> list[str]:
    """The headings of all passages, each once."""
    with Reader.open(home) as reader:
        ids = [row[0] for row in reader.connection.execute("SELECT id FROM documents ORDER BY id")]
        documents = [StoredDocument(reader.connection, each) for each in ids]
        paths = {document.outline.path(row.heading) for document in documents for row in document.rows()}
    return sorted({path[-1] for path in paths if path})


def show(what: str, searching: Searching, questions: Sequence[Question], counted: bool) -> None:
    """Print the figures of one state."""
    recalls, ranks = [], []
    for question in questions:
        hits = searching.search(Query(question.text, DEPTH, boost=counted)).hits
        texts = [normalise(hit.text) for hit in hits]
        evidence = [normalise(each) for each in question.evidence]
        recalls.append(mean(any(each in text for text in texts[:5]) for each in evidence))
        has = [any(each in text for each in evidence) for text in texts]
        ranks.append(next((1 / rank for rank, good in enumerate(has, 1) if good), 0.0))
    sys.stdout.write(f"{what}: ER@5 {mean(recalls):.3f}, MRR {mean(ranks):.3f}\n")


def main() -> None:
    """Measure in homes that are thrown away."""
    with tempfile.TemporaryDirectory() as home:
        known_items(Path(home))
    for name in sys.argv[1:2]:
        with tempfile.TemporaryDirectory() as home:
            os.environ["CAPSA_HOME"] = home
            among_files(Path(home), Path(name))


if __name__ == "__main__":
    main()
