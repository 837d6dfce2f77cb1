"""Documents that the speed benchmark makes up: the same ones everywhere, with words spread as in real text.

A Markov chain over capsa's own docstrings and comments gives sentences; each topic has other words, out of
the vocabulary of the shipped model, in place of most content words, and a few words are nearly unique, so
that document frequencies fall as they do in a real collection.
"""

import ast
import html
import json
import re
import tokenize
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from capsa.store.models import DEFAULT, SHIPPED
from capsa.store.stopwords import STOP_WORDS

Format = Literal["html", "markdown", "text"]
FORMATS: tuple[Format, ...] = ("html", "markdown", "text")
SUFFIXES = {"html": ".html", "markdown": ".md", "text": ".txt"}
# Part of what a kept index is known by: raise it when other documents come out.
VERSION = 1
TOPICS = 24
# Content words that a topic has in common with the others, and words that are nearly unique.
SHARED = 0.2
RARE = 0.02
RARE_WORDS = 200_000
LONGEST = 90
SEED = 20_240_229
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*[A-Za-z]|[aAI]\b|[.!?](?=\s|$)")
CONTENT = re.compile(r"[a-z]{4,}")
ENDS = frozenset(".!?")
CONSONANTS = (*"bcdfglmnprstv", "br", "cl", "dr", "st", "tr")
SYLLABLES = [consonant + vowel for consonant in CONSONANTS for vowel in "aeiou"]

Ids = npt.NDArray[np.int64]


class Part(NamedTuple):
    """A piece of a document: heading, paragraph, list or table (its first item is the caption)."""

    kind: Literal["heading", "paragraph", "list", "table"]
    items: tuple[str, ...]


class Language(NamedTuple):
    """The chain: word ``w`` is followed by one of ``next[first[w]:first[w + 1]]``; word 0 ends a sentence.

    ``spoken[topic, w]`` is the word of ``table`` that the topic says for ``w``.
    """

    table: npt.NDArray[np.object_]
    spoken: Ids
    first: Ids
    next: Ids


def document(number: int, form: Format, sections: int | None = None, topic: int | None = None) -> bytes:
    """Return the document of that number; topic 0 speaks plain English."""
    parts = _parts(number, sections, topic)
    return _RENDERERS[form](parts).encode()


def topic_of(number: int) -> int:
    """Return the topic of a document whose topic is not given."""
    return number * 7 % TOPICS


def _parts(number: int, sections: int | None, topic: int | None) -> list[Part]:
    random = np.random.default_rng((SEED, number))
    lines = _lines(random, topic_of(number) if topic is None else topic)
    parts = [Part("heading", (next(lines)[:60].rsplit(" ", 1)[0],))]
    for section in range(int(random.integers(3, 9)) if sections is None else sections):
        if section:
            parts.append(Part("heading", (_short(next(lines), 4),)))
        parts += [Part("paragraph", (next(lines),)) for _ in range(int(random.integers(1, 4)))]
        if section % 4 == 1:
            parts.append(Part("list", tuple(_short(next(lines), 12) for _ in range(4))))
        if section % 4 == 3:
            rows = ("\t".join(_short(next(lines), 2) for _ in range(3)) for _ in range(5))
            parts.append(Part("table", (f"Table {section}: {_short(next(lines), 8)}", *rows)))
    return parts


def _short(line: str, words: int) -> str:
    return " ".join(line.rstrip(".").split()[:words]).replace(".", "")


def _lines(random: np.random.Generator, topic: int) -> Iterator[str]:
    """Yield paragraphs of 25 to 90 words without end."""
    language = learn()
    while True:
        words = _walk(random, language, 24)
        spoken = language.spoken[topic, words]
        rare = (random.random(words.shape) < RARE) & (words > 0)
        spoken[rare] = random.integers(len(language.table) - RARE_WORDS, len(language.table), rare.sum())
        for row, length in zip(spoken, random.integers(25, LONGEST + 1, len(spoken)), strict=True):
            yield _sentences(" ".join(language.table[row[:length]]))


def _walk(random: np.random.Generator, language: Language, rows: int) -> Ids:
    """Return ``rows`` walks of LONGEST steps along the chain, each from the start of a sentence."""
    words = np.zeros((rows, LONGEST + 1), dtype=np.int64)
    draws = random.random((rows, LONGEST))
    for step in range(LONGEST):
        here = words[:, step]
        begin = language.first[here]
        words[:, step + 1] = language.next[
            begin + (draws[:, step] * (language.first[here + 1] - begin)).astype(np.int64)
        ]
    return words[:, 1:]


def _sentences(text: str) -> str:
    parts = [part.strip() for part in text.split(" . ")]
    joined = ". ".join(part[:1].upper() + part[1:] for part in parts if part)
    return joined.removesuffix(" .") + "."


@cache
def learn() -> Language:
    """Learn the chain from the sources of this installation."""
    words = [word for text in own_prose() for word in _words(text)]
    known = [".", *sorted(set(words) - {"."})]
    number = {word: place for place, word in enumerate(known)}
    ids = np.array([number[word] for word in words])
    follows = np.roll(ids, -1)
    order = np.argsort(ids, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(ids, minlength=len(known)))])
    return Language(*_vocabulary(known), first, follows[order])


def _vocabulary(known: Sequence[str]) -> tuple[npt.NDArray[np.object_], Ids]:
    """Return the table of all words and what each topic says for each known one."""
    random = np.random.default_rng(SEED)
    content = np.array([word.lower() not in STOP_WORDS and word not in ENDS for word in known])
    spoken = np.tile(np.arange(len(known)), (TOPICS, 1))
    table = [*known, *model_words()]
    others = np.arange(len(known), len(table))
    for topic in range(1, TOPICS):
        places = np.flatnonzero(content & (random.random(len(known)) >= SHARED))
        spoken[topic, places] = random.choice(others, len(places), replace=False)
    rare = invent(random, RARE_WORDS)
    return np.array([*table, *rare], dtype=object), spoken


def model_words() -> list[str]:
    """Return the words that the shipped model knows whole, without stop words."""
    data = json.loads((SHIPPED / DEFAULT / "tokenizer.json").read_text(encoding="utf-8"))
    return [word for word in data["model"]["vocab"] if CONTENT.fullmatch(word) and word not in STOP_WORDS]


def invent(random: np.random.Generator, count: int) -> list[str]:
    """Return that many words that can be pronounced, of two to four syllables."""
    syllables = random.integers(0, len(SYLLABLES), (count, 4))
    lengths = random.integers(2, 5, count)
    return [
        "".join(SYLLABLES[place] for place in row[:length])
        for row, length in zip(syllables.tolist(), lengths.tolist(), strict=True)
    ]


def own_prose() -> Iterator[str]:
    """Yield the docstrings and comments of capsa's modules."""
    for path in sorted(Path(__file__).parents[1].glob("[a-z]*/**/*.py")):
        if "tests" not in path.parts:
            yield from _docstrings(path)
            yield from _comments(path)


def _docstrings(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""


def _comments(path: Path) -> Iterator[str]:
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type == tokenize.COMMENT:
                yield token.string.strip("# ")


def _words(text: str) -> list[str]:
    found = [
        word if word not in ENDS else "." for word in WORD.findall(text) if len(word) > 1 or word.isascii()
    ]
    words = [word.lower() for word in found]
    return [*words, "."] if words and words[-1] != "." else words


def _markdown(parts: Sequence[Part]) -> str:
    return "\n\n".join(_markdown_part(part, "#" if place == 0 else "##") for place, part in enumerate(parts))


def _markdown_part(part: Part, mark: str) -> str:
    if part.kind == "heading":
        return f"{mark} {part.items[0]}"
    if part.kind == "list":
        return "\n".join(f"- {item}" for item in part.items)
    if part.kind == "table":
        head, *rows = (f"| {row} |".replace("\t", " | ") for row in part.items[1:])
        return "\n".join([f"{part.items[0]}\n", head, "|---|---|---|", *rows])
    return part.items[0]


def _text(parts: Sequence[Part]) -> str:
    return "\n\n".join("\n".join(part.items) for part in parts) + "\n"


def _html(parts: Sequence[Part]) -> str:
    title = html.escape(parts[0].items[0])
    body = "\n".join(_html_part(part, "h1" if place == 0 else "h2") for place, part in enumerate(parts))
    links = "".join(f'<li><a href="/p{number}.html">Page {number}</a></li>' for number in range(12))
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>\n<body>'
        f"<nav><ul>{links}</ul></nav>\n<main>{body}</main>\n<footer>{title}</footer></body></html>\n"
    )


def _html_part(part: Part, heading: str) -> str:
    items = [html.escape(item) for item in part.items]
    if part.kind == "heading":
        return f"<{heading}>{items[0]}</{heading}>"
    if part.kind == "list":
        return "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"
    if part.kind == "table":
        rows = ("<tr><td>" + row.replace("\t", "</td><td>") + "</td></tr>" for row in items[1:])
        return f"<table><caption>{items[0]}</caption>" + "".join(rows) + "</table>"
    return f"<p>{items[0]}</p>"


_RENDERERS: dict[Format, Callable[[Sequence[Part]], str]] = {
    "html": _html,
    "markdown": _markdown,
    "text": _text,
}
