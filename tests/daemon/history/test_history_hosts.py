"""Which pages stay out."""

import pytest

from capsa.chunkers.history.model import Bad, Bookmark, Record, Visit
from capsa.daemon.history.gathering import Gathering, Policy, openable
from capsa.daemon.history.hosts import PrivateHosts, default_hosts
from capsa.store.history import Forgotten, hash_name

NOTHING = Forgotten(())


def policy(excluded: tuple[str, ...] = (), included: tuple[str, ...] = (), local: bool = False) -> Policy:
    return Policy(PrivateHosts((*default_hosts(), *excluded), included), local, NOTHING)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://www.example.org/", ""),
        ("http://localhost:8000/docs", "local"),
        ("http://192.168.1.1/", "local"),
        ("https://wiki/page", "local"),
        ("https://www.paypal.com/home", "private"),
        ("https://secure.chase.com/", "private"),
        ("https://onlinebanking.example.org/", "private"),
        ("https://my.bank/", "private"),
        ("https://bankrate.org/", ""),
        ("https://ebanking-news.org/", ""),
        ("data:text/html,hello", "inline"),
        ("blob:https://example.org/1", "inline"),
        ("chrome-extension://abc/page.html", "browser"),
        ("about:config", "browser"),
        ("file:///home/u/a.html", "file"),
        ("javascript:void(0)", "inline"),
        ("mailto:a@example.org", "no-web-page"),
    ],
)
def test_an_address_is_judged_by_what_it_is(url: str, reason: str) -> None:
    assert policy().judge(url).reason == reason


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://user:secret@a.org/x@y", "https://a.org/x@y"),
        ("HTTP://a@b@c.org:80?q=@", "HTTP://c.org:80?q=@"),
        ("https://a.org/@user", "https://a.org/@user"),
    ],
)
def test_names_and_passwords_in_addresses_are_not_kept(url: str, kept: str) -> None:
    assert openable(url) == kept


def test_the_list_is_the_users_to_change() -> None:
    changed = policy(excluded=("diary.org", "secret.*"), included=("paypal.com", "wiki"))
    assert changed.judge("https://my.diary.org/1").reason == "private"
    assert changed.judge("https://secret.example.org/1").reason == "private"
    assert changed.judge("https://www.paypal.com/").reason == ""
    assert changed.judge("https://wiki/page").reason == ""
    assert policy(local=True).judge("http://localhost/").reason == ""


def test_the_list_that_comes_with_capsa_names_hosts() -> None:
    hosts = default_hosts()
    assert len(hosts) > 100
    assert len(set(hosts)) == len(hosts)
    assert all(host == host.lower().strip() and "/" not in host for host in hosts)


def test_the_counts_of_a_batch_add_up() -> None:
    records: list[Record] = [
        Visit("https://a.org/x?utm_source=y", "Old", 5),
        Visit("http://www.a.org/x#top", "New", 9),
        Bookmark("https://a.org/x", "", 3, ("tag",), "Folder"),
        Visit("https://www.google.com/search?q=red+fox", "red fox - Google", 7, device="phone"),
        Visit("https://www.paypal.com/", "Money", 1),
        Bad("date", "2489"),
        Visit("https://gone.org/", "Forgotten", 4),
    ]
    forgotten = Forgotten([(hash_name("gone.org"), 0, 10)])
    gathering = Gathering(Policy(PrivateHosts(default_hosts()), False, forgotten), "desk")
    (page,), (query,) = gathering.gather(records)
    assert (page.uri, page.url, page.title) == ("https://a.org/x", "http://www.a.org/x#top", "New")
    assert page.visits == ((5, "desk"), (9, "desk"))
    assert (page.kept_at, page.tags, page.folders, page.bookmarks) == (3, ("tag",), ("Folder",), 1)
    assert (query.site, query.text, query.time, query.device) == ("google.com", "red fox", 7, "phone")
    tally = gathering.tally
    assert tally.read == 7
    assert tally.excluded == {"search": 1, "private": 1, "forgotten": 1}
    assert tally.failed == {"date": 1}
    assert tally.read == len(page.visits) + page.bookmarks + tally.excluded.total() + tally.failed.total()
