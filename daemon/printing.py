"""Printing a command's result to stdout, as text or as one JSON record."""

import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any


def print_json(record: Mapping[str, Any]) -> None:
    """Print one record; lone surrogates are escaped, so that the output is always valid UTF-8."""
    text = json.dumps(record, indent=2, ensure_ascii=False)
    print_lines([text.encode("utf-8", "backslashreplace").decode("utf-8")])


def print_lines(lines: Iterable[str]) -> None:
    """Print lines; what the output's encoding lacks is escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    for line in lines:
        sys.stdout.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: ``1 file``, ``2,000 files``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(number: float) -> str:
    """Bytes for people, in units of 1,000."""
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    raise AssertionError("the loop returns")
