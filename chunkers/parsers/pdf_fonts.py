"""What a PDF font's name, flags and weight say about its text."""

import re
from typing import NamedTuple

BOLD = re.compile(
    r"bold|black|heavy|semibold|demi|CMBX|CMSSBX|SFBX|ECBX|LMRoman\d+-Bold|-Bd\b|BX\d", re.IGNORECASE
)
ITALIC = re.compile(r"ital|obli|CMTI|CMSL|SFTI|SFSL", re.IGNORECASE)
MONO = re.compile(
    r"mono|courier|consol|menlo|typewriter|CMTT|SFTT|ECTT|lmtt|fixed|[a-z\d]tt\d*$|inconsolata|nimbusmon"
    r"|sourcecode|firacode|cour\b|andale",
    re.IGNORECASE,
)
MATH = re.compile(
    r"CMMI|CMSY|CMEX|CMBSY|MSAM|MSBM|EUFM|EUSM|RSFS|Symbol|Math|MT ?Extra|[tp]xsy|[tp]xmi|MTSY|MTMI|stmary"
)
COMPUTER_MODERN = re.compile(
    r"^(CM|LM|SF|EC|MSBM|EU)[A-Z]|^LM(Roman|Sans|Mono)|TeXGyre|Nimbus", re.IGNORECASE
)
FIXED_PITCH = 1
ITALIC_FLAG = 1 << 6
FORCE_BOLD = 1 << 18
BOLD_WEIGHT = 600


class Font(NamedTuple):
    """What a font's name and flags say about its text."""

    name: str
    bold: bool
    italic: bool
    mono: bool
    math: bool = False


def read_font(name: bytes, flags: int, weight: int) -> Font:
    """Return the font's style: by name first, since the weight of Computer Modern's descendants is wrong."""
    text = name.rstrip(b"\0").decode("utf-8", "replace")
    text = text.partition("+")[2] or text
    heavy = weight >= BOLD_WEIGHT and not COMPUTER_MODERN.search(text)
    return Font(
        name=text,
        bold=bool(BOLD.search(text)) or bool(flags & FORCE_BOLD) or heavy,
        italic=bool(ITALIC.search(text)) or bool(flags & ITALIC_FLAG),
        mono=bool(flags & FIXED_PITCH) or bool(MONO.search(text)),
        math=MATH.search(text) is not None,
    )


FontCache = dict[tuple[bytes, int], Font]
