"""Words as the keyword index sees them, from SQLite's own tokenizer, so that both always agree."""

import re
import sqlite3
import unicodedata
from collections.abc import Iterable

TOKENIZER = "porter unicode61 remove_diacritics 2"
# Characters of words: what unicode61 takes for letters and digits, near enough to find candidates in a text.
WORD = re.compile(r"[^\W_]+")
# Scripts written without spaces between words, and Korean, whose endings stick to the words: each character
# becomes a word of its own, and a word a phrase.
SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\ua000-\ua4cf\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003fa1f]"
)
# Soft hyphen, zero-width space, joiners and byte order mark: invisible, but they would cut words in two.
INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
# Lone surrogates are no text to SQLite.
LONE = re.compile("[\ud800-\udfff]")
# Words kept with their stems; a session asks for the same ones again and again.
KEPT = 50_000


def scrub(text: str) -> str:
    """Replace lone surrogates, which SQLite cannot store as text."""
    return text if text.isascii() else LONE.sub("\ufffd", text)


def fold(text: str) -> str:
    """Return the text as it is indexed: ligatures and full width made plain, spaceless scripts spaced out."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", scrub(text).translate(INVISIBLE))
    return SPACELESS.sub(r" \g<0> ", text)


class Stemmer:
    """Gives the stems of words by indexing them in a table of its own in memory; for one thread."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        options = f"content = '', tokenize = '{TOKENIZER}'"
        self._connection.execute(f"CREATE VIRTUAL TABLE words USING fts5 (word, {options})")
        self._connection.execute("CREATE VIRTUAL TABLE terms USING fts5vocab (words, instance)")
        self._stems: dict[str, tuple[str, ...]] = {}

    def close(self) -> None:
        """Let go of the table."""
        self._connection.close()

    def stems(self, words: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return each word's stems in order: one as a rule, none for what the index does not hold."""
        wanted = list(dict.fromkeys(words))
        if len(self._stems) > KEPT:
            self._stems.clear()
        new = [word for word in wanted if word not in self._stems]
        if new:
            self._learn(new)
        return {word: self._stems[word] for word in wanted}

    def _learn(self, words: list[str]) -> None:
        # Of ASCII letters and digits the tokenizer makes one word: all of them are one row, in their order.
        plain = [word for word in words if _is_plain(word)]
        others = [word for word in words if not _is_plain(word)]
        found = self._terms([" ".join(plain), *map(fold, others)])
        self._stems.update((word, (found[0][place],)) for place, word in enumerate(plain))
        for word, terms in zip(others, found[1:], strict=True):
            self._stems[word] = tuple(terms[place] for place in sorted(terms))

    def _terms(self, texts: list[str]) -> list[dict[int, str]]:
        """Return each text's terms by their places."""
        execute = self._connection.execute
        execute("BEGIN")
        self._connection.executemany("INSERT INTO words (rowid, word) VALUES (?, ?)", enumerate(texts))
        found: list[dict[int, str]] = [{} for _ in texts]
        for term, row, place in execute("SELECT term, doc, offset FROM terms"):
            found[row][place] = term
        execute("ROLLBACK")
        return found


def _is_plain(word: str) -> bool:
    return word.isascii() and word.isalnum()
