"""Words of dates in the languages that Google's exports come in: months, halves of a day, zones.

The forms are those of Unicode's CLDR, "medium". To add a language: a line of twelve stems, checked against
the others; of several stems that a word begins with, the longest counts.
"""

from collections.abc import Mapping

_STEMS = (
    "jan feb mar apr may jun jul aug sep oct nov dec",  # English
    "jan feb mär apr mai jun jul aug sep okt nov dez",  # German
    "janv févr mars avr mai juin juil août sept oct nov déc",  # French
    "ene feb mar abr may jun jul ago sept oct nov dic",  # Spanish
    "jan fev mar abr mai jun jul ago set out nov dez",  # Portuguese
    "gen feb mar apr mag giu lug ago set ott nov dic",  # Italian
    "jan feb mrt apr mei jun jul aug sep okt nov dec",  # Dutch
    "jan feb maa apr maj jun jul aug sep okt nov des",  # Dutch in full, Danish, Swedish, Norwegian
    "sty lut mar kwi maj cze lip sie wrz paź lis gru",  # Polish
    "янв фев мар апр мая июн июл авг сен окт ноя дек",  # Russian
    "січ лют бер кві тра чер лип сер вер жов лис гру",  # Ukrainian
    "oca şub mar nis may haz tem ağu eyl eki kas ara",  # Turkish
    "jan feb már ápr máj jún júl aug szept okt nov dec",  # Hungarian
    "led úno bře dub kvě čvn čvc srp zář říj lis pro",  # Czech, where dates have numbers as a rule
    "tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu",  # Finnish
)
MONTHS: Mapping[str, int] = {
    stem: number for stems in _STEMS for number, stem in enumerate(stems.split(), start=1)
}
_SHORTEST = min(map(len, MONTHS))

# Words for the second half of a day; those for the first are AM.
PM = frozenset({"pm", "午後", "下午", "오후"})
AM = frozenset({"am", "午前", "上午", "오전"})

# Hours from UTC; abbreviations have no standard, and CST is also China's, see EAST.
ZONES: Mapping[str, float] = {
    "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "MEZ": 1, "SEČ": 1, "CEST": 2,
    "MESZ": 2, "SELČ": 2, "EET": 2, "SAST": 2, "EEST": 3, "MSK": 3, "МСК": 3, "TRT": 3, "EAT": 3, "EST": -5,
    "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8,
    "HST": -10, "BRT": -3, "BRST": -2, "ART": -3, "CLT": -4, "CLST": -3, "COT": -5, "PET": -5, "JST": 9,
    "KST": 9, "HKT": 8, "SGT": 8, "PHT": 8, "AWST": 8, "WIB": 7, "ICT": 7, "IST": 5.5, "AEST": 10,
    "AEDT": 11, "NZST": 12, "NZDT": 13,
}  # fmt: skip
EAST: Mapping[str, float] = {"CST": 8}
"""Zones that differ where the date is written in Chinese."""


def month_of(word: str) -> int:
    """Return the number of the month that a word, in full or cut, stands for; 0 for any other word."""
    word = word.lower()
    for end in range(len(word), _SHORTEST - 1, -1):
        if word[:end] in MONTHS:
            return MONTHS[word[:end]]
    return 0
