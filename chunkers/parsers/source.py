"""Source code and configuration: code blocks that end where a definition ends, the head comment as prose."""

import re
from collections.abc import Iterator
from pathlib import PurePath

from ..charset import decode
from ..model import Block, Document
from .lines import Lines, fill_gaps, span_block
from .text import groups

# Where a run of code has this many characters, a blank line before a line at the margin ends its block.
_ENOUGH = 800
_CLOSING = re.compile(r"[)}\]]|end\b|else\b|elif\b|except\b|finally\b|fi\b|done\b|esac\b|#endif")
_HEAD_COMMENT = re.compile(
    r"(?:#!.*\n)?\s{0,99}(?P<comment>"
    r"(?:(?:#(?!\s*(?:include|define|if|pragma|import))|//|--|;;?|%|REM ).*(?:\n|\Z)){1,400}"
    r"|/\*(?:[^*]|\*(?!/)){0,20000}\*/"
    r"|[rRuU]?\"\"\"(?:[^\"]|\"(?!\"\")){0,20000}\"\"\""
    r"|<!--(?:[^-]|-(?!->)){0,20000}-->)"
)

_LANGUAGES = {
    "python": "py pyi", "javascript": "js mjs cjs jsx", "typescript": "ts tsx", "c": "c h",
    "cpp": "cc cpp cxx hh hpp hxx", "csharp": "cs", "fsharp": "fs", "visualbasic": "vb", "rust": "rs",
    "ruby": "rb rakefile gemfile", "perl": "pl pm", "shell": "sh bash zsh fish", "powershell": "ps1",
    "batch": "bat cmd", "kotlin": "kt kts", "haskell": "hs", "ocaml": "ml mli", "elixir": "ex exs",
    "erlang": "erl", "clojure": "clj", "lisp": "el lisp", "scheme": "scm", "julia": "jl",
    "objective-c": "m mm", "yaml": "yaml yml", "json": "json jsonl ndjson", "xml": "xml xsd xsl xslt svg",
    "ini": "ini cfg conf properties desktop service", "diff": "diff patch", "terraform": "tf",
    "make": "mk makefile gnumakefile", "docker": "dockerfile containerfile", "fortran": "f f90",
    "assembly": "asm s", "pascal": "pas", "protobuf": "proto", "groovy": "groovy gradle jenkinsfile",
}  # fmt: skip
_BY_SUFFIX = {suffix: language for language, suffixes in _LANGUAGES.items() for suffix in suffixes.split()}


def parse(data: bytes, name: str) -> Document:
    """Parse source code in any encoding."""
    text, encoding = decode(data)
    lines = Lines(text)
    blocks = tuple(fill_gaps(text, _blocks(lines, language_of(name, text))))
    title = PurePath(name.replace("\\", "/")).name
    metadata = {"encoding": encoding}
    return Document(text, blocks, "code", title=title, outcome="ok" if blocks else "empty", metadata=metadata)


def language_of(name: str, text: str = "") -> str:
    """Return the language by the file's suffix or name, else by the program its first line calls."""
    path = PurePath(name.replace("\\", "/").lower())
    suffix = path.suffix[1:] or path.name
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    shebang = re.match(r"#!\s*\S*/(?:env\s+)?([a-z]+)", text[:200])
    if shebang and not path.suffix:
        return {"python": "python", "node": "javascript", "perl": "perl", "ruby": "ruby"}.get(
            shebang[1], "shell"
        )
    return suffix[:20]


def _blocks(lines: Lines, language: str) -> Iterator[Block]:
    head = _head_comment(lines.text)
    if head is not None:
        yield head
    begin = lines.text.count("\n", 0, head.end) + 1 if head else 0
    for first, after in _runs(lines, begin):
        block = lines.block("code", first, after, language=language, found_by="source:blank-line")
        if block is not None:
            yield block


def _head_comment(text: str) -> Block | None:
    """Return the comment or docstring at the head of the file; it says in prose what the file is."""
    match = _HEAD_COMMENT.match(text)
    if match is None or not any(char.isalpha() for char in match["comment"]):
        return None
    return span_block(text, "paragraph", 0, match.end(), found_by="source:head-comment")


def _runs(lines: Lines, begin: int) -> Iterator[tuple[int, int]]:
    """Yield runs of lines that end at a blank line before a line at the margin which closes nothing."""
    start: int | None = None
    for first, after in groups(lines):
        first = max(first, begin)
        if first >= after:
            continue
        if (
            start is not None
            and lines.starts[first] - lines.starts[start] >= _ENOUGH
            and _opens(lines, first)
        ):
            yield start, first
            start = None
        start = first if start is None else start
    if start is not None:
        yield start, len(lines)


def _opens(lines: Lines, number: int) -> bool:
    line = lines.text[lines.starts[number] : lines.starts[number] + 40]
    return not line[:1].isspace() and _CLOSING.match(line) is None
