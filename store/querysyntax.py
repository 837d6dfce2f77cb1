"""What a user typed -> words, phrases, prefixes and exclusions, as FTS5 expressions. Any input has a reading.

bread butter      any of the words, more is better
"bread butter"    must stand there as a phrase
-butter           must not stand there
butt*             words that begin so
foo_bar, 1.0.21   the parts in a row, and the parts alone count for less
"""

import re
from dataclasses import dataclass

from .stems import SPACELESS, WORD, fold
from .stopwords import STOP_WORDS

MAX_CHARACTERS = 10_000
MAX_TERMS = 64
MAX_LENGTH = 64
# A prefix shorter than this stands for too many words.
MIN_PREFIX = 2
# The index holds stems, and that of "organization" (organ) does not begin with "organiz": try usual endings.
ENDINGS = ("e", "y", "on", "ty", "al", "ing", "ion", "ity", "tion", "ation")
MIN_ENDING_PREFIX = 4

# A piece: an optional minus, then a quoted phrase or anything up to white space or a quote.
# A lone quote is skipped. A minus before a number belongs to it, or makes an option of it (-9), as it does
# of one letter (-v), whatever sign follows.
PIECE = re.compile(
    r'(?P<minus>(?<!\S)-(?=["\w])(?!(?:[0-9.,]++|\w)[^\w\s]*+(?!\S)))?(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))'
)
POSSESSIVE = re.compile(r"['\u2019]s\b")


@dataclass(frozen=True, slots=True)
class Term:
    """Tokens that stand in a row; the last one is a beginning when ``prefix``."""

    tokens: tuple[str, ...]
    prefix: bool = False

    def expression(self) -> str:
        """Return the FTS5 expression. Tokens are letters and digits only, so quoting is safe."""
        quoted = f'"{" ".join(self.tokens)}"'
        if not self.prefix:
            return quoted
        last = self.tokens[-1]
        if len(last) < MIN_ENDING_PREFIX or len(self.tokens) > 1:
            return f"{quoted} *"
        return " OR ".join([f"{quoted} *", *(f'"{last}{ending}"' for ending in ENDINGS)])


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """``optional`` terms rank, ``required`` ones must match, ``excluded`` ones must not."""

    optional: tuple[Term, ...] = ()
    required: tuple[Term, ...] = ()
    excluded: tuple[Term, ...] = ()

    @property
    def terms(self) -> tuple[Term, ...]:
        """Everything that adds to the rank."""
        return self.required + self.optional

    @property
    def words(self) -> tuple[str, ...]:
        """The single words asked for, for highlights and for measuring what a hit matched."""
        return tuple(dict.fromkeys(token for term in self.terms for token in term.tokens))


def parse_query(text: str) -> ParsedQuery:
    """Read a query; control characters, operators and unbalanced quotes are only text."""
    optional: list[Term] = []
    required: list[Term] = []
    excluded: list[Term] = []
    for piece in PIECE.finditer(fold_query(text)):
        found = read_phrase(piece["phrase"]) if piece["phrase"] is not None else read_word(piece["word"])
        if piece["minus"]:
            excluded += found[:1]
        elif piece["phrase"] is not None:
            required += found
        else:
            optional += found
    if not (optional or required):
        optional, excluded = excluded, []
    return ParsedQuery(_few(without_stop_words(optional, required)), _few(required), _few(excluded))


def fold_query(text: str) -> str:
    """Return the query cut to a bearable length, without NUL and lone surrogates."""
    text = text[:MAX_CHARACTERS].encode("utf-8", "replace").decode().replace("\0", " ")
    return POSSESSIVE.sub(" ", text.translate({0x201C: '"', 0x201D: '"', 0x201E: '"'}))


def read_phrase(text: str) -> list[Term]:
    """Return the phrase as one term, or nothing when it holds no word."""
    tokens = tokenize(text)
    return [Term(tokens[:MAX_TERMS])] if tokens else []


def read_word(text: str) -> list[Term]:
    """Return the term that the piece is, and its parts when it has several."""
    tokens = tokenize(text)
    if not tokens:
        return []
    prefix = text.endswith("*") and len(tokens[-1]) >= MIN_PREFIX
    whole = Term(tokens[:MAX_TERMS], prefix)
    if len(tokens) == 1 or _is_stop_word(whole) or SPACELESS.search(text):
        return [whole]
    return [
        whole,
        *(Term((token,)) for token in tokens if len(token) > 1 and token.casefold() not in STOP_WORDS),
    ]


def tokenize(text: str) -> tuple[str, ...]:
    """Return the words of a piece, each cut to the longest one that is looked for."""
    return tuple(word[:MAX_LENGTH] for word in WORD.findall(fold(text)))


def without_stop_words(terms: list[Term], required: list[Term]) -> list[Term]:
    """Drop the words that every text has, unless nothing else is asked for."""
    telling = [term for term in terms if not _is_stop_word(term)]
    return telling if telling or required else terms


def _is_stop_word(term: Term) -> bool:
    # "don't" arrives as (don, t): joined it is looked up without its apostrophe.
    return not term.prefix and "".join(term.tokens).casefold() in STOP_WORDS


def _few(terms: list[Term]) -> tuple[Term, ...]:
    return tuple(dict.fromkeys(terms))[:MAX_TERMS]
