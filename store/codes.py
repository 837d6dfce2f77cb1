"""The codes that vectors may be kept as: their names and sizes, without the arithmetic (see quantisers/)."""

from collections.abc import Mapping
from dataclasses import dataclass

# What the names and the plans are of; other dimensions are divided in the same proportions.
NAMED_FOR = 384
DEFAULT = "pq96"


@dataclass(frozen=True, slots=True)
class Code:
    """How many of 384 dimensions are kept in how many bits each, in order.

    Dimensions beyond these are left out, after a turn that spreads what vectors say over all of them.
    """

    name: str
    plan: tuple[tuple[int, int], ...]

    def sections(self, dimension: int) -> tuple[tuple[int, int], ...]:
        """Return (dimensions, bits) for vectors of that dimension, each filling whole bytes."""
        scaled = [(dimension * dims // NAMED_FOR // 8 * 8, bits) for dims, bits in self.plan]
        before = sum(dims for dims, _ in scaled[:-1])
        last = max(8, scaled[-1][0]) if self.turns else dimension - before
        return tuple((dims, bits) for dims, bits in (*scaled[:-1], (last, self.plan[-1][1])) if dims)

    def size(self, dimension: int) -> int:
        """Return the bytes of a vector's code."""
        return sum(dims * bits for dims, bits in self.sections(dimension)) // 8

    @property
    def turns(self) -> bool:
        """Whether vectors are turned before dimensions are left out."""
        return sum(dims for dims, _ in self.plan) < NAMED_FOR


# Smallest first; each finds more than all before it (`capsa eval codes`).
_ALL = (
    Code("pq24", ((192, 1),)),
    Code("pq32", ((256, 1),)),
    Code("pq48", ((384, 1),)),
    # The largest of which a vector, with all that is kept of it, takes less than 64 bytes on the disk.
    Code("pq54", ((48, 2), (336, 1))),
    Code("pq64", ((128, 2), (256, 1))),
    Code("pq96", ((384, 2),)),
    Code("pq192", ((384, 4),)),
    Code("sq8", ((384, 8),)),
    Code("float32", ((384, 32),)),
)
CODES: Mapping[str, Code] = {code.name: code for code in _ALL}


def code_size(name: str, dimension: int) -> int:
    """Return the bytes of a vector of that dimension in the code of that name."""
    return CODES[name].size(dimension)
