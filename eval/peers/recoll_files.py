"""Recoll, by its commands: whole files are found, by any of a question's words; a hit is the file's text."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from measuring import HITS, Indexed, Task, measure


def index(task: Task, paths: Sequence[Path]) -> Indexed:
    """Index the folder; the model is not used."""
    task.work.mkdir()
    (task.work / "recoll.conf").write_text(f"topdirs = {task.folder}\nindexstemminglanguages = english\n")
    config = ("-c", str(task.work))
    subprocess.run(["recollindex", *config], check=True, stdout=subprocess.PIPE)

    def ask(question: str) -> list[str]:
        words = " ".join(re.findall(r"\w+", question))
        command = ["recollq", *config, "-o", "-b", "-n", str(HITS), words]
        found = subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
        files = (line.removeprefix("file://") for line in found.splitlines() if line.startswith("file:"))
        return [Path(path).read_text(encoding="utf-8") for path in files]

    return Indexed(ask, task.work)


if __name__ == "__main__":
    measure(index)
