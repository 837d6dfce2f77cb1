"""The page that the report's sections stand in: its style, its head, its list of contents."""

from collections.abc import Sequence
from dataclasses import dataclass

from .report_markup import Content, Markup, join, tag

_STYLE = """
:root{color-scheme:light dark;--ink:#1d2329;--dim:#59636e;--paper:#fff;--line:#d9dee3;--soft:#f4f6f8;
--s0:#1f6fb2;--s1:#c8500a;--s2:#16845b;--s3:#a3398d;--s4:#9a7400;--s5:#4d5ad1;--s6:#7a7f86;--s7:#b3262e}
@media (prefers-color-scheme:dark){:root{--ink:#e4e8ec;--dim:#9aa5b1;--paper:#14181c;--line:#333b43;
--soft:#1c2228;--s0:#5fa8e6;--s1:#f0894d;--s2:#4cc294;--s3:#d987c7;--s4:#d9b33a;--s5:#98a2ff;--s6:#a5abb3;--s7:#f0767d}}
*{box-sizing:border-box}
body{margin:0 auto;padding:16px;max-width:1180px;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.6em;line-height:1.2;margin:.4em 0}h2{font-size:1.2em;margin:2.2em 0 .3em;padding-top:.6em;
border-top:1px solid var(--line)}h3{font-size:1em;margin:1.2em 0 .3em}
p{margin:.4em 0;max-width:72ch}.dim,figcaption,.legend{color:var(--dim)}a{color:var(--s0)}
nav{columns:14em;margin:.8em 0}nav a{display:block}
.pair{display:grid;gap:12px 28px;grid-template-columns:minmax(0,1fr);align-items:start}
@media (min-width:860px){.pair{grid-template-columns:minmax(0,400px) minmax(0,1fr)}}
.scroll{overflow-x:auto;margin:.5em 0}
table{border-collapse:collapse;font-size:.87em;font-variant-numeric:tabular-nums}
th,td{padding:3px 9px;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{font-weight:600;color:var(--dim);vertical-align:bottom}
td{max-width:36em;overflow-wrap:break-word}.pair td{max-width:21em}
.n{text-align:right;white-space:nowrap}
th:first-child,td:first-child{position:sticky;left:0;background:var(--paper)}
@media (max-width:500px){th,td{padding:3px 6px}td:first-child{max-width:11em}}
.chart{display:block;width:100%;max-width:520px;height:auto;overflow:visible}
svg text{font:11px system-ui,sans-serif;fill:var(--dim)}
.grid{stroke:var(--line)}.span{stroke:var(--dim);stroke-width:1.5}
.line{fill:none!important;stroke-width:2}
.front{fill:none;stroke:var(--ink);stroke-width:1.5;stroke-dasharray:4 3}
.dot{stroke:var(--paper);stroke-width:1}.key{width:14px;height:14px;vertical-align:-2px;margin-right:4px}
.legend span{display:inline-block;margin-right:1em}.legend{font-size:.87em}
details{margin:.5em 0}summary{cursor:pointer;color:var(--dim)}code{font-size:.92em;overflow-wrap:anywhere}
"""


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the report; ``anchor`` is what the list of contents points to."""

    anchor: str
    title: str
    body: Markup


def page(title: str, intro: Content, sections: Sequence[Section]) -> Markup:
    """Return the whole page: it loads nothing and runs nothing."""
    colours = "".join(
        f".s{n}{{fill:var(--s{n});stroke:var(--s{n})}}.dot.s{n}{{stroke:var(--paper)}}" for n in range(8)
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        _policy(),
        tag("title", title),
        tag("style", Markup(_STYLE + colours)),
    )
    contents = tag("nav", *(tag("a", each.title, href=f"#{each.anchor}") for each in sections))
    parts = [tag("section", tag("h2", each.title), each.body, id=each.anchor) for each in sections]
    body = tag("body", tag("h1", title), intro, contents, *parts)
    return join([Markup("<!doctype html>\n"), tag("html", head, body, lang="en"), "\n"])


def pair(figure: Content, beside: Content) -> Markup:
    """Return a figure with its numbers beside it, below it where there is no room."""
    return tag("div", tag("div", figure), tag("div", beside), class_="pair")


def note(*text: Content) -> Markup:
    """Return a line that explains."""
    return tag("p", *text, class_="dim")


def folded(summary: str, body: Content) -> Markup:
    """Return what is shown on demand only."""
    return tag("details", tag("summary", summary), body)


def _policy() -> Markup:
    rule = "default-src 'none'; style-src 'unsafe-inline'"
    return tag("meta", http_equiv="Content-Security-Policy", content=rule)
