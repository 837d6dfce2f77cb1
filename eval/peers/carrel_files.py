"""carrel, by its command, asked as ``recoll_files.py``, beside which it lies, asks Recoll; same arguments."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from recoll_files import HITS, measure, run


def main(arguments: list[str]) -> None:
    """Index the folder, ask the questions, print what it took."""
    folder, _, _, _, _, questions = arguments
    # Its index lies in the folder that it is of.
    index = Path(folder) / ".carrel"

    def ask(question: str) -> Iterator[Path]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        found = run("carrel", "--root", folder, "--json", "search", words, "--limit", str(HITS))
        return (Path(folder) / hit["path"] for hit in json.loads(found))

    measure(
        Path(folder), index, Path(questions), lambda: run("carrel", "--root", folder, "index", folder), ask
    )


if __name__ == "__main__":
    main(sys.argv[1:])
