"""How long a search takes that is typed into the page: from the key to the hits on the screen.

    CAPSA_HOME=HOME python tests/bench/page_search.py [SEARCHES]

The home must be indexed. It tells wall times, which count on a quiet machine only or under ``chrt -r 1``,
and CPU times: of the server, and of the browser's main thread beyond what typing takes without a search.
Needs Chromium and playwright.
"""

import json
import os
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

WORDS = 4
SETTLE_S = 0.5
WARM_UP = 5
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
# Notes when a query is typed, when the first of its hits are in the document, and when they have been drawn.
WATCH = """() => {
  window.told = [];
  let last = document.querySelector("#q").value;
  let typed = 0;
  document.addEventListener("input", (event) => {
    if (event.target.value !== last) typed = performance.now();
    last = event.target.value;
  }, true);
  new MutationObserver(() => {
    if (!typed) return;
    const from = typed;
    const there = performance.now() - from;
    typed = 0;
    requestAnimationFrame(() => setTimeout(() => window.told.push([there, performance.now() - from])));
  }).observe(document.querySelector(".list"), { childList: true });
}"""


def queries(home: Path, number: int) -> list[str]:
    """Words of titles, spread over the index."""
    rows = sqlite3.connect(home / "capsa.sqlite").execute(
        "SELECT title FROM documents ORDER BY id * 2654435761 % 4294967296 LIMIT ?", (4 * number,)
    )
    words = (" ".join(re.findall(r"\w+", title)[:WORDS]) for (title,) in rows)
    return list(dict.fromkeys(filter(None, words)))[:number]


def cpu_ms(pid: int, threads: Sequence[int]) -> float:
    """CPU time of the threads so far."""
    return (
        sum(int(Path(f"/proc/{pid}/task/{each}/schedstat").read_text().split()[0]) for each in threads) / 1e6
    )


def all_threads(pid: int) -> list[int]:
    """The threads of the process."""
    return [int(each) for each in os.listdir(f"/proc/{pid}/task")]


def renderers() -> list[int]:
    """The browser's processes that draw pages, of those that this program started."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            is_one = folder.name.isdigit() and b"--type=renderer" in (folder / "cmdline").read_bytes()
            found += [int(folder.name)] if is_one and os.getpid() in ancestors(int(folder.name)) else []
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
    return found


def ancestors(pid: int) -> list[int]:
    """The processes above this one."""
    found = []
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        found.append(pid)
    return found


def typed(page: Any, text: str, clocks: Sequence[Callable[[], float]]) -> list[float]:
    """Type it, wait until all is quiet, and return what the clocks say that took."""
    before = [clock() for clock in clocks]
    page.locator("#q").fill(text)
    time.sleep(SETTLE_S)
    return [clock() - start for clock, start in zip(clocks, before, strict=True)]


def measure(page: Any, server: int, wanted: Sequence[str]) -> dict[str, list[float]]:
    """Type each query, and before it the last one again, in which nothing is searched."""
    drawing = renderers()
    clocks = [
        lambda: cpu_ms(server, all_threads(server)),
        lambda: sum(cpu_ms(pid, [pid]) for pid in drawing),
    ]
    page.evaluate(WATCH)
    told: dict[str, list[float]] = {"server CPU": [], "page CPU": []}
    last = wanted[0]
    for query in wanted:
        idle, busy = typed(page, last, clocks), typed(page, query, clocks)
        told["server CPU"].append(busy[0] - idle[0])
        told["page CPU"].append(busy[1] - idle[1])
        last = query
    told["hits there, wall"], told["drawn, wall"] = map(list, zip(*page.evaluate("window.told"), strict=True))
    return {name: values[WARM_UP:] for name, values in told.items()}


def main() -> None:
    """Serve the home, measure, and print one JSON line for each figure in ms."""
    from playwright.sync_api import sync_playwright

    home = Path(os.environ["CAPSA_HOME"])
    wanted = queries(home, int(sys.argv[1]) if len(sys.argv) > 1 else 40)
    command = [sys.executable, "-P", "-m", "capsa.daemon", "open", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as served:
        assert served.stdout is not None
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                page = browser.new_page(viewport={"width": 1400, "height": 900})
                page.goto(served.stdout.readline().strip())
                page.wait_for_selector(".results[aria-busy=false]")
                time.sleep(5)
                for name, values in measure(page, served.pid, wanted).items():
                    cuts = statistics.quantiles(values, n=20)
                    told = {"p50": cuts[9], "p95": cuts[18], "least": min(values)}
                    figures = {name: round(value, 1) for name, value in told.items()}
                    record = {"figure": name, "searches": len(values), **figures}
                    sys.stdout.write(json.dumps(record) + "\n")
                browser.close()
        finally:
            served.terminate()


if __name__ == "__main__":
    main()
