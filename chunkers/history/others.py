"""Browsers that are a family of their own: Safari, qutebrowser, Epiphany (GNOME Web)."""

from .database import Columns, Schema
from .model import SYNCED
from .times import from_1970, from_2001


def _safari(columns: Columns) -> tuple[str, ...]:
    device = "''"
    if "origin" in columns["history_visits"]:
        device = f"CASE v.origin WHEN 1 THEN '{SYNCED}' ELSE '' END"
    return (
        f"SELECT i.url, v.title, v.visit_time, 1, {device} FROM history_visits AS v"
        " LEFT JOIN history_items AS i ON i.id = v.history_item ORDER BY v.history_item, v.visit_time",
    )


SAFARI = Schema(
    name="Safari",
    browser="safari",
    needs={
        "history_items": frozenset({"id", "url"}),
        "history_visits": frozenset({"history_item", "visit_time", "title"}),
    },
    mark=b"history_visits",
    clock=from_2001,
    counted="history_visits",
    visits=_safari,
)

QUTEBROWSER = Schema(
    name="qutebrowser",
    browser="qutebrowser",
    needs={"History": frozenset({"url", "title", "atime", "redirect"})},
    mark=b"CompletionHistory",
    clock=from_1970,
    counted="History",
    visits=lambda _: ("SELECT url, title, atime, 1, '' FROM History ORDER BY url, atime",),
)

EPIPHANY = Schema(
    name="Epiphany",
    browser="epiphany",
    needs={
        "hosts": frozenset({"id", "url"}),
        "urls": frozenset({"id", "host", "url", "title"}),
        "visits": frozenset({"url", "visit_time", "visit_type"}),
    },
    mark=b"referring_visit",
    # Seconds until 3.30, microseconds since.
    clock=from_1970,
    counted="visits",
    visits=lambda _: (
        "SELECT u.url, u.title, v.visit_time, 1, '' FROM visits AS v LEFT JOIN urls AS u ON u.id = v.url"
        " ORDER BY v.url, v.visit_time",
    ),
)
