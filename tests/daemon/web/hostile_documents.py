"""Documents that try to be more than text on a page."""

from pathlib import Path

# Each would run something, load something, or end a mark, if it were read as HTML.
TRICKS = (
    "<script>window.hit = 1</script>",
    "<img src=x onerror=window.hit=1>",
    "<img src=http://evil.example/x.png>",
    "</mark></p></article><h1>forged</h1>",
    "<mark>not ours</mark>",
    '"><svg onload=window.hit=1>',
    "<iframe src=javascript:window.hit=1></iframe>",
    "[link](javascript:window.hit=1)",
    "<a href=javascript:window.hit=1>click</a>",
    "<style>body { display: none }</style>",
    "<!-- --><base href=http://evil.example/>",
    "{{constructor.constructor('window.hit=1')()}}",
    "\u202egnp.exe\u2066",
    "&lt;script&gt;",
    "<unfinished",
)


def write_hostile(folder: Path) -> None:
    """Put the tricks into names, titles, headings, paragraphs, tables and code."""
    for number, trick in enumerate(TRICKS):
        name = "".join(letter for letter in trick if letter not in '/\\:*?"<>|\0')[:60]
        body = [
            f"# {trick} zebu {number}",
            f"The zebu {trick} grazes.",
            f"## {trick}",
            f"| zebu | {trick.replace('|', ' ')} |\n|---|---|\n| {trick.replace('|', ' ')} | zebu |",
            f"```{trick.split()[0]}\nzebu {trick}\n```",
        ]
        (folder / f"{number} {name}.md").write_text("\n\n".join(body) + "\n")
    tags = '<img src=x onerror="window.hit=1">.md'
    (folder / tags).write_text("The zebu has a hump.\n")
