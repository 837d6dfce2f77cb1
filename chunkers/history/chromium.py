"""The Chromium family: Chrome, Edge, Brave, Vivaldi, Opera, Arc. The file is called History."""

from .database import Columns, Schema
from .model import SYNCED
from .times import from_1601


def _visits(columns: Columns) -> tuple[str, ...]:
    device = "''"
    if "originator_cache_guid" in columns["visits"]:
        device = f"CASE WHEN v.originator_cache_guid != '' THEN '{SYNCED}' ELSE '' END"
    queries = [
        f"SELECT u.url, u.title, v.visit_time, 1, {device} FROM visits AS v"
        " LEFT JOIN urls AS u ON u.id = v.url ORDER BY v.url, v.visit_time"
    ]
    if {"visit_count", "last_visit_time"} <= columns["urls"]:
        # Visits are dropped after 90 days, their page often is not.
        queries.append(
            "SELECT url, title, last_visit_time, visit_count, '' FROM urls"
            " WHERE last_visit_time > 0 AND id NOT IN (SELECT url FROM visits)"
        )
    return tuple(queries)


CHROMIUM = Schema(
    name="Chromium",
    browser="chromium",
    needs={"urls": frozenset({"id", "url", "title"}), "visits": frozenset({"url", "visit_time"})},
    mark=b"keyword_search_terms",
    clock=from_1601,
    counted="visits",
    visits=_visits,
)
