"""Fonts of fixed pitch that neither their names nor their flags tell: all of their letters are as wide."""

from statistics import median

from .pdf_fonts import FontCache

SHORTEST = 20
"""Characters of a line from which on the room beside its first and last letter does not matter."""
LENGTHS = (10, 14, 20, 28)
"""Lines of different lengths after which a font is judged."""
SAME = 0.015
MOST = 0.9
"""The part of the lines that must be as wide as their length says: 0.95 in code, at most 0.75 in prose."""


class Pitch:
    """Collects the widths of lines for each font of a document."""

    def __init__(self) -> None:
        self.fixed: set[str] = set()
        self._widths: dict[str, dict[int, float]] = {}

    def see(self, name: str, ems: float, characters: int, fonts: FontCache) -> None:
        """Note how wide a line is; once its font is found to be of fixed pitch, mark it in the cache."""
        if characters < SHORTEST:
            return
        widths = self._widths.setdefault(name, {})
        before = len(widths)
        if before > LENGTHS[-1] or characters in widths:
            return
        widths[characters] = ems / characters
        if before + 1 in LENGTHS and _is_fixed(list(widths.values())):
            self.fixed.add(name)
            for key, font in fonts.items():
                if font.name == name:
                    fonts[key] = font._replace(mono=True)


def _is_fixed(widths: list[float]) -> bool:
    middle = median(widths)
    return sum(abs(width - middle) <= SAME * middle for width in widths) >= MOST * len(widths)
