"""carrel, by its command: whole files are found, by any of a question's words; a hit is the file's text."""

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from measuring import HITS, Indexed, Task, measure


def index(task: Task, paths: Sequence[Path]) -> Indexed:
    """Index the folder; the model is not used, and the index lies in the folder."""
    carrel = ("carrel", "--root", str(task.folder))
    subprocess.run([*carrel, "index", str(task.folder)], check=True, stdout=subprocess.PIPE)

    def ask(question: str) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        command = [*carrel, "--json", "search", words, "--limit", str(HITS)]
        found = subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
        return [(task.folder / hit["path"]).read_text(encoding="utf-8") for hit in json.loads(found)]

    return Indexed(ask, task.folder / ".carrel")


if __name__ == "__main__":
    measure(index)
