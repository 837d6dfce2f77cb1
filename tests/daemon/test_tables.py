"""A search for the words of a table's caption finds the table as one chunk, with caption and header."""

import json
from pathlib import Path

import pytest

from capsa.daemon.cli import main

ROWS = [(f"KERN{number}", f"fault {number} of the pump", str(number)) for number in range(1, 9)]
MARKDOWN = (
    "# Pumps\n\nSome words on pumps in general.\n\nTable 1: Kernel error levels of the pump\n\n"
    "| Level | Meaning | Code |\n|---|---|---|\n"
    + "".join(f"| {' | '.join(row)} |\n" for row in ROWS)
    + "\nOther words follow.\n"
)
HTML = (
    "<html><body><h1>Pumps</h1><p>Some words on pumps in general.</p><table>"
    "<caption>Table 1: Kernel error levels of the pump</caption>"
    "<tr><th>Level</th><th>Meaning</th><th>Code</th></tr>"
    + "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in ROWS)
    + "</table><p>Other words follow.</p></body></html>"
)


@pytest.mark.parametrize(("name", "text"), [("pumps.md", MARKDOWN), ("pumps.html", HTML)])
def test_a_table_with_its_caption_and_header_is_one_chunk(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / name).write_text(text)
    assert main(["index", str(tmp_path / "docs"), "-q"]) == 0
    capsys.readouterr()
    assert main(["search", "kernel error levels", "--json"]) == 0
    best = json.loads(capsys.readouterr().out)["hits"][0]
    for part in ("Table 1: Kernel error levels", "Level", "Meaning", "Code", *(row[1] for row in ROWS)):
        assert part in best["text"]
