"""Known-item questions made from documents by rules: who saw a passage asks for it in fewer words.

    heading      the heading's words; what follows it is the passage
    caption      a third of the words of a caption
    definition   what is ...? for a sentence that says what something is or means
    sentence     a third of the words of a sentence

Function words are dropped, and others at random from a fixed seed: the same documents, the same questions.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from capsa.chunkers.context import clean
from capsa.chunkers.model import Block, Document
from capsa.store.stopwords import STOP_WORDS

from .matching import normalise

RULES = ("heading", "caption", "definition", "sentence")
# Of one document for each rule, so that a long one does not ask everything.
MOST = 6
_FEWEST_WORDS = 10
_LONGEST = 400
_TEXTS = frozenset({"paragraph", "list_item", "definition", "quote"})

_WORD = re.compile(r"\w+(?:[-'’.]\w+)*")
_SENTENCE = re.compile(r"[^.!?\n]{20,400}[.!?](?=\s|$)")
_LABEL = re.compile(
    r"^\W*(?:table|figure|fig|listing|box|exhibit|chart)\W{0,3}[\dA-Z.-]{0,8}\W{0,3}", re.IGNORECASE
)
_DEFINED = re.compile(
    r"(?:(?:the|an?|term|word)\s+)*[\"'“‘]?(?P<term>[\w-]+(?:\s[\w-]+){0,4})[\"'”’]?,?\s+"
    r"(?:means|refers\s+to|is\s+defined\s+as|stands\s+for|is\s+an?)\s",
    re.IGNORECASE,
)
# Words that no term is made of, besides the stop words.
_PLACES = ("first", "second", "third", "last", "next", "previous", "following", "above", "below", "here")
_POINTING = frozenset((*_PLACES, "same", "such", "other", "another", "one", "many"))


@dataclass(frozen=True, slots=True)
class Mined:
    """A question and the normalised text that a passage must hold to answer it."""

    rule: str
    text: str
    evidence: str


def mine(document: Document, seed: Sequence[int]) -> list[Mined]:
    """Return the questions of one document, at most MOST for each rule, no two alike."""
    random = np.random.default_rng(list(seed))
    found: list[Mined] = []
    for make in _MAKERS.values():
        made = {mined.text: mined for mined in make(document, random) if mined.text}
        chosen = random.permutation(len(made))[:MOST]
        found += [mined for place, mined in enumerate(made.values()) if place in set(chosen.tolist())]
    return list({mined.text: mined for mined in found}.values())


def choose(questions: Sequence[Mined], count: int, seed: int) -> list[Mined]:
    """Return so many of the questions, the rules taking turns as long as they have any."""
    random = np.random.default_rng(seed)
    piles = {
        rule: [
            questions[place] for place in random.permutation(len(questions)) if questions[place].rule == rule
        ]
        for rule in RULES
    }
    chosen: list[Mined] = []
    while len(chosen) < count and any(piles.values()):
        chosen += [pile.pop() for pile in piles.values() if pile][: count - len(chosen)]
    return chosen


def _from_headings(document: Document, random: np.random.Generator) -> Iterator[Mined]:
    texts = [_text(document, block) for block in document.blocks if block.kind == "heading"]
    for place, block in enumerate(document.blocks[:-1]):
        words = _words(_text(document, block))
        below = document.blocks[place + 1]
        twice = texts.count(_text(document, block)) > 1
        if block.kind == "heading" and below.kind in _TEXTS and len(_telling(words)) >= 2 and not twice:
            sentence = next(_sentences(document, below), "")
            if sentence:
                yield _mined("heading", words, sentence)


def _from_captions(document: Document, random: np.random.Generator) -> Iterator[Mined]:
    for block in document.blocks:
        text = _text(document, block)[:_LONGEST]
        words = _words(_LABEL.sub("", text))
        if block.kind == "caption" and len(words) >= _FEWEST_WORDS // 2:
            yield _mined("caption", _dropped(words, random), text)


def _from_definitions(document: Document, random: np.random.Generator) -> Iterator[Mined]:
    for block in document.blocks:
        if block.kind in _TEXTS:
            for sentence in _sentences(document, block):
                found = _DEFINED.match(sentence.lstrip("-*•> "))
                words = _words(found["term"]) if found else []
                named = len(words) > 1 or (words and words[0][0].isupper())
                if named and not {word.lower() for word in words} & (STOP_WORDS | _POINTING):
                    yield _mined("definition", ["what", "is", *words], sentence)


def _from_sentences(document: Document, random: np.random.Generator) -> Iterator[Mined]:
    for block in document.blocks:
        if block.kind in _TEXTS:
            for sentence in _sentences(document, block):
                words = _words(sentence)
                if len(words) >= _FEWEST_WORDS:
                    yield _mined("sentence", _dropped(words, random), sentence)


_MAKERS: dict[str, Callable[[Document, np.random.Generator], Iterator[Mined]]] = {
    "heading": _from_headings,
    "caption": _from_captions,
    "definition": _from_definitions,
    "sentence": _from_sentences,
}


def _mined(rule: str, words: Sequence[str], evidence: str) -> Mined:
    return Mined(rule, " ".join(words), normalise(evidence))


def _text(document: Document, block: Block) -> str:
    return document.text[block.start : block.end]


def _sentences(document: Document, block: Block) -> Iterator[str]:
    return (found[0].strip() for found in _SENTENCE.finditer(_text(document, block)))


def _words(text: str) -> list[str]:
    """Return the words without what a search would read as signs."""
    return _WORD.findall(clean(text))


def _telling(words: Sequence[str]) -> list[str]:
    return [word for word in words if word.lower() not in STOP_WORDS]


def _dropped(words: Sequence[str], random: np.random.Generator) -> list[str]:
    """Return a third of the telling words in their order, at least three."""
    telling = [place for place, word in enumerate(words) if word.lower() not in STOP_WORDS]
    kept = random.permutation(len(telling))[: max(3, len(telling) // 3)].tolist()
    return [words[telling[place]] for place in sorted(kept)]
