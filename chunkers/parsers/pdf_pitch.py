"""Fonts of fixed pitch that neither names nor flags tell: narrow letters take the room of wide ones."""

from typing import Protocol

from .pdf_fonts import Font, FontCache

NARROW = frozenset("iljtfrI.,:;'")
WIDE = frozenset("mwMWGOQDH")
TELLING = NARROW | WIDE
LEAST = 2
"""Narrow and wide letters each that a font is judged by."""
SAME = 0.02
MOST_LINES = 100
"""Lines after which a font without such letters stays what it is."""


class Letters(Protocol):
    """The letters of a page: the font of each, and the ems up to the next."""

    def font(self, position: int) -> Font:
        """Return the font of one character."""

    def advance(self, position: int) -> float:
        """Return the ems from one character to the next, as its font has it."""


class Pitch:
    """Collects how wide a document's fonts set their letters; ``fixed`` names those of one pitch."""

    def __init__(self) -> None:
        self.fixed: set[str] = set()
        self._letters: dict[str, dict[str, float]] = {}
        self._looks: dict[str, int] = {}

    def see(self, page: Letters, start: int, text: str, font: Font, fonts: FontCache) -> None:
        """Look at a line's letters; once its font is found to be of fixed pitch, mark it in the cache."""
        looks = self._looks.get(font.name, 0)
        if looks >= MOST_LINES:
            return
        self._looks[font.name] = looks + 1
        letters = self._letters.setdefault(font.name, {})
        for letter in TELLING.intersection(text) - letters.keys():
            position = start + text.index(letter)
            if page.font(position).name == font.name:
                letters[letter] = page.advance(position)
        if min(len(kind & letters.keys()) for kind in (NARROW, WIDE)) >= LEAST:
            self._looks[font.name] = MOST_LINES
            least, most = min(letters.values()), max(letters.values())
            if 0 < most <= (1 + SAME) * least:
                self._mark(font.name, fonts)

    def _mark(self, name: str, fonts: FontCache) -> None:
        self.fixed.add(name)
        for key, font in fonts.items():
            if font.name == name:
                fonts[key] = font._replace(mono=True)
