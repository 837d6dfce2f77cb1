"""Addresses of the web: variants of one page become equal, different pages stay apart, nothing raises."""

import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capsa.chunkers.url_rules import (
    INDEX_NAMES,
    JUNK_VALUES,
    SAME_HOST,
    SESSION_NAMES,
    SITE_TRACKING,
    TRACKING_NAMES,
)
from capsa.chunkers.urls import is_local, kind_of, normalise, site, split

PAGE = "https://example.org/tide/mills"

# One line a rule: two addresses of one page.
SAME = {
    "scheme": ("http://example.org/a", "https://example.org/a"),
    "case of scheme and host": ("HTTPS://Example.ORG/a", "https://example.org/a"),
    "blanks around": (" \thttps://example.org/a\r\n", "https://example.org/a"),
    "line ends inside": ("https://exam\nple.org/\ta", "https://example.org/a"),
    "www": ("https://www.example.org/a", "https://example.org/a"),
    "mobile host": ("https://m.example.org/a", "https://mobile.example.org/a"),
    "amp host": ("https://amp.example.org/a", "https://www.example.org/a"),
    "mobile host in the middle": (
        "https://en.m.wikipedia.org/wiki/Mill",
        "https://en.wikipedia.org/wiki/Mill",
    ),
    "default port": ("http://example.org:80/a", "https://example.org:443/a"),
    "port with zeros": ("http://example.org:08080/a", "http://example.org:8080/a"),
    "empty port": ("http://example.org:/a", "http://example.org/a"),
    "password": ("https://user:secret@example.org/a", "https://example.org/a"),
    "trailing dot": ("https://example.org./a", "https://example.org/a"),
    "trailing slash": ("https://example.org/a/", "https://example.org/a"),
    "no path": ("https://example.org", "https://example.org/"),
    "index page": ("https://example.org/a/index.html", "https://example.org/a"),
    "index page with a query": ("https://example.org/w/index.php?title=A", "https://example.org/w?title=A"),
    "dot segments": ("https://example.org/b/.././a", "https://example.org/a"),
    "encoded dot segments": ("https://example.org/b/%2e%2E/a", "https://example.org/a"),
    "backslashes": (r"https:\\example.org\a", "https://example.org/a"),
    "encoded letters": ("https://example.org/%61", "https://example.org/a"),
    "case of encoding": ("https://example.org/%c3%a9", "https://example.org/%C3%A9"),
    "not encoded": ("https://example.org/é", "https://example.org/%C3%A9"),
    "encoded brackets": ("https://example.org/a_%28b%29", "https://example.org/a_(b)"),
    "stray per cent sign": ("https://example.org/100%", "https://example.org/100%25"),
    "international host": ("https://Mühle.example.org/", "https://xn--mhle-0ra.example.org"),
    "ideographic dot": ("https://example。org/a", "https://example.org/a"),
    "wide letters": ("https://ｅｘａｍｐｌｅ.org/a", "https://example.org/a"),
    "encoded host": ("https://ex%61mple.org/a", "https://example.org/a"),
    "long form of an IPv6 host": ("http://[2001:DB8:0:0::1]/", "http://[2001:db8::1]/"),
    "fragment": ("https://example.org/a#top", "https://example.org/a"),
    "text fragment": ("https://example.org/a#:~:text=mill", "https://example.org/a"),
    "empty route": ("https://example.org/#!/", "https://example.org/"),
    "slash after a route": ("https://example.org/#!/a/", "https://example.org/#!/a"),
    "lightbox": ("https://en.wikipedia.org/wiki/A#/media/File:A.jpg", "https://en.wikipedia.org/wiki/A"),
    "empty query": ("https://example.org/a?", "https://example.org/a"),
    "empty parameters": ("https://example.org/a?&b=1&&", "https://example.org/a?b=1"),
    "order of parameters": ("https://example.org/a?c=2&b=1", "https://example.org/a?b=1&c=2"),
    "blank in a query": ("https://example.org/a?b=c%20d", "https://example.org/a?b=c+d"),
    "slash in a query": ("https://example.org/a?b=c%2Fd", "https://example.org/a?b=c/d"),
    "tracking": ("https://example.org/a?utm_source=x&b=1&fbclid=y", "https://example.org/a?b=1"),
    "tracking in capitals": ("https://example.org/a?UTM_Source=x", "https://example.org/a"),
    "encoded tracking": ("https://example.org/a?utm%5Fsource=x", "https://example.org/a"),
    "session in a parameter": ("https://example.org/a?PHPSESSID=0a1b2c", "https://example.org/a"),
    "session in a path": ("https://example.org/a;jsessionid=0A1B?b=1", "https://example.org/a?b=1"),
    "session as a segment": (f"https://example.org/(S({'a1' * 12}))/a", "https://example.org/a"),
    "session of a forum": (f"https://example.org/a?sid={'0a' * 16}&t=1", "https://example.org/a?t=1"),
    "AMP of a page": ("https://example.org/a?amp=1", "https://example.org/a"),
    "AMP at Google": ("https://www.google.com/amp/s/www.example.org/a", "https://example.org/a"),
    "short video": ("https://youtu.be/a1b2c3d4e5f?si=x", "https://www.youtube.com/watch?v=a1b2c3d4e5f"),
    "embedded video": (
        "https://www.youtube-nocookie.com/embed/a1b2c3d4e5f?start=1",
        "https://youtube.com/watch?v=a1b2c3d4e5f&start=1",
    ),
    "sender of a video": (
        "https://youtube.com/watch?v=a1b2c3d4e5f&feature=share",
        "https://youtube.com/watch?v=a1b2c3d4e5f",
    ),
    "article of a shop": (
        "https://www.amazon.de/Tide-Mills/dp/0123456789/ref=sr_1_1?keywords=mill",
        "https://amazon.de/gp/product/0123456789",
    ),
    "old host": ("https://old.reddit.com/r/a", "https://www.reddit.com/r/a/"),
    "renamed site": ("https://mobile.twitter.com/a/status/1?s=20", "https://x.com/a/status/1"),
}

# Pairs that look alike and are not one page.
DIFFERENT = {
    "host": ("https://a.example.org/", "https://b.example.org/"),
    "port": ("http://localhost:3000/", "http://localhost:8000/"),
    "case of a path": ("https://example.org/a", "https://example.org/A"),
    "encoded slash": ("https://example.org/a%2Fb", "https://example.org/a/b"),
    "encoded question mark": ("https://example.org/a%3Fb", "https://example.org/a?b"),
    "encoded ampersand": ("https://example.org/a?b=1%26c=2", "https://example.org/a?b=1&c=2"),
    "encoded plus": ("https://example.org/a?b=c%2Bd", "https://example.org/a?b=c+d"),
    "route": ("https://example.org/#!/a", "https://example.org/#!/b"),
    "route without mark": ("https://example.org/#/a", "https://example.org/#/b"),
    "value": ("https://example.org/?id=1", "https://example.org/?id=2"),
    "order of equal names": ("https://example.org/?a=1&a=2", "https://example.org/?a=2&a=1"),
    "place of a part without name": ("https://example.org/?b&a=1", "https://example.org/?a=1&b"),
    "story of a magazine": ("https://example.org/a?sid=22/07/1", "https://example.org/a?sid=22/07/2"),
    "session of a conference": ("https://example.org/a?session_id=12", "https://example.org/a?session_id=13"),
    "page about AMP": ("https://example.org/amp", "https://example.org/"),
    "site named m": ("https://m.me/", "https://me/"),
    "index in a path": ("https://example.org/index.php/A", "https://example.org/A"),
    "a name of another site": ("https://example.org/a?feature=1", "https://example.org/a?feature=2"),
    "copy of an archive": (
        "https://web.archive.org/web/2020/http://example.org/a",
        "https://web.archive.org/web/2021/http://example.org/a",
    ),
}


@pytest.mark.parametrize("pair", SAME.values(), ids=SAME)
def test_addresses_of_one_page_are_equal(pair: tuple[str, str]) -> None:
    one, other = map(normalise, pair)
    assert one == other
    assert one.startswith("https://")
    assert normalise(one) == one


@pytest.mark.parametrize("pair", DIFFERENT.values(), ids=DIFFERENT)
def test_different_pages_stay_apart(pair: tuple[str, str]) -> None:
    assert normalise(pair[0]) != normalise(pair[1])


@pytest.mark.parametrize("name", sorted(TRACKING_NAMES | SESSION_NAMES))
def test_every_declared_name_is_left_out(name: str) -> None:
    assert normalise(f"{PAGE}?{name}=x&page=2") == f"{PAGE}?page=2"


@pytest.mark.parametrize("prefix", ["utm_", "mtm_", "matomo_", "hsa_", "_hs", "ASPSESSIONID"])
def test_every_name_with_the_prefix_is_left_out(prefix: str) -> None:
    assert normalise(f"{PAGE}?{prefix}anything=x&page=2") == f"{PAGE}?page=2"


@pytest.mark.parametrize("name", sorted(JUNK_VALUES))
def test_names_with_two_meanings_are_left_out_only_with_a_value_of_the_one(name: str) -> None:
    assert normalise(f"{PAGE}?a=2&{name}=oak") == f"{PAGE}?a=2&{name}=oak"
    junk = next(value for value in ("0a" * 16, "1", "amp") if JUNK_VALUES[name].fullmatch(value))
    assert normalise(f"{PAGE}?a=2&{name}={junk}") == f"{PAGE}?a=2"


@pytest.mark.parametrize(
    ("key", "name"), [(key, name) for key in SITE_TRACKING for name in sorted(SITE_TRACKING[key])]
)
def test_names_of_a_site_are_left_out_there_only(key: str, name: str) -> None:
    host = f"{key}com" if key.endswith(".") else key
    assert normalise(f"https://{host}/a?{name}=x") == f"https://{host}/a"
    assert normalise(f"https://example.org/a?{name}=x") != "https://example.org/a"


@pytest.mark.parametrize("name", sorted(INDEX_NAMES))
def test_index_pages_are_their_folder(name: str) -> None:
    assert normalise(f"{PAGE}/{name}") == PAGE


def test_no_host_is_renamed_twice() -> None:
    assert not SAME_HOST.keys() & set(SAME_HOST.values())


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("", ""),
        ("mill", "mill"),
        ("http://", "http://"),
        ("http:///", "http:///"),
        ("HTTPS://./a", "https://./a"),
        ("DATA:text/html,A", "data:text/html,A"),
        ("about:blank", "about:blank"),
        ("file:///home/a/B", "file:///home/a/B"),
        ("http://" + "a" * 2000 + ".org/", "http://" + "a" * 2000 + ".org/"),
    ],
)
def test_what_is_no_web_address_stays(url: str, kept: str) -> None:
    assert normalise(url) == kept


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://www.Example.org:8080/a", "example.org"),
        ("https://user@m.example.org/", "example.org"),
        ("example.org", "example.org"),
        ("www.Mühle.de", "xn--mhle-0ra.de"),
        ("localhost", "localhost"),
        ("https://youtu.be/a1b2c3d4e5f", "youtube.com"),
        ("http://[::1]/", "[::1]"),
        ("about:blank", ""),
        ("data:text/html,a", ""),
        ("tide mill", ""),
        ("", ""),
    ],
)
def test_the_site_of_an_address(url: str, shown: str) -> None:
    assert site(url) == shown


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://example.org/", "web"),
        ("http://8.8.8.8/", "web"),
        ("http://localhost:8000/", "local"),
        ("http://nas/", "local"),
        ("http://printer.local/", "local"),
        ("http://wiki.corp/", "local"),
        ("http://router.home.arpa/", "local"),
        ("http://fritz.box/", "local"),
        ("http://192.168.1.1/", "local"),
        ("http://10.1.2.3/", "local"),
        ("http://172.16.0.1/", "local"),
        ("http://127.0.0.1:631/", "local"),
        ("http://169.254.1.1/", "local"),
        ("http://[::1]/", "local"),
        ("http://[fe80::1]/", "local"),
        ("http://[fd00::1]/", "local"),
        ("FILE:///etc/hosts", "file"),
        ("data:text/html,a", "inline"),
        ("blob:https://example.org/0a1b", "inline"),
        ("javascript:alert(1)", "inline"),
        ("about:blank", "browser"),
        ("chrome://history", "browser"),
        ("chrome-extension://a/b.html", "browser"),
        ("moz-extension://a/b.html", "browser"),
        ("view-source:https://example.org/", "browser"),
        ("mailto:a@example.org", "other"),
        ("ftp://example.org/", "other"),
        ("example.org/a", "other"),
        ("", "other"),
    ],
)
def test_kinds_of_addresses(url: str, kind: str) -> None:
    assert kind_of(url) == kind


def test_public_hosts_are_not_local() -> None:
    assert not any(map(is_local, ["example.org", "home.example.org", "local.com", "1.1.1.1", "box.com"]))


texts = st.text(max_size=60)
pieces = st.sampled_from(
    [
        *"/\\?#&=;%.:@[]é ßİ℀。 aB~\0\ud800",
        *(
            "http://",
            "HTTPS:",
            "//",
            "#!",
            "%2",
            "%25",
            "%2f",
            "%2E",
            "..",
            "[::1]",
            "www.",
            "m.",
            "80",
            ":~:",
        ),
        *("example.org", "youtu.be/abcdefg", "youtube.com/v/abcdefg", "amazon.de/dp/", "google.com/amp/s/"),
        *("index.html", ";jsessionid=1", "utm_source=1", "sid=", "0a" * 16, "xn--", "xn--a", ":80"),
    ]
)


@settings(max_examples=400, deadline=None)
@given(st.one_of(texts, texts.map("http://".__add__), st.lists(pieces, max_size=14).map("".join)))
@example("http://a/;jsessionid=1/b")
@example("http://a/..;jsessionid=1")
@example("http://google.com/amp/s/google.com/amp/s/a.b/")
@example("http://www.google.com/amp/s/youtu.be/abcdefg?v=1&utm_source=2")
@example("http://youtube.com/embed/abcdefg?v=hijklmn")
def test_normalising_twice_is_normalising_once(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert site(once) == site(text) or site(text) == normalise(text)
    assert kind_of(once) == kind_of(text)


labels = st.text(string.ascii_lowercase + string.digits, min_size=2, max_size=6)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(labels, min_size=1, max_size=3),
    st.lists(labels, max_size=4),
    st.dictionaries(labels, labels, max_size=4),
    st.data(),
)
def test_variants_of_a_page_are_equal(
    host: list[str], path: list[str], query: dict[str, str], data: st.DataObject
) -> None:
    page = f"{'.'.join(host)}.org/{'/'.join(path)}"
    parameters = [f"{name}={value}" for name, value in query.items()]
    plain = f"https://{page}?{'&'.join(parameters)}"
    junk = data.draw(st.lists(st.sampled_from(["utm_term=a", "gclid=b", "PHPSESSID=c"]), max_size=3))
    shuffled = data.draw(st.permutations([*parameters, *junk]))
    scheme = data.draw(st.sampled_from(["http://", "HTTPS://", "https://www.", "http://m."]))
    end = data.draw(st.sampled_from(["", "/", "/index.html"] if path else [""]))
    assert normalise(f"{scheme}{page}{end}?{'&'.join(shuffled)}#part") == normalise(plain)


@pytest.mark.parametrize(
    "text",
    [
        "http://" + "a." * 200_000,
        "http://a/" + "../" * 200_000,
        "http://a/" + "index.html/" * 100_000,
        "http://a/?" + "&" * 500_000,
        "http://a/?" + "utm_a=1&" * 100_000,
        "http://a/" + "%" * 100_000,
        "http://a/" + ";jsessionid=1" * 50_000,
        "http://a/" + "(S(" * 200_000,
        "http://" + "@" * 500_000 + "a",
        "http://[" + ":" * 500_000 + "]",
        "http://google.com/amp/s/" + "google.com/amp/s/" * 30_000 + "a.b/c",
        "http://amazon.de/" + "dp/" * 50_000,
        "http://a/" + "e\u0301\u0323" * 30_000,
        "data:" + "a" * 1_000_000,
    ],
    ids=lambda text: text[:24],
)
def test_hostile_addresses_take_linear_time(text: str) -> None:
    # A quadratic rule would take minutes here.
    assert normalise(normalise(text)) == normalise(text)
    assert kind_of(text) in ("web", "local", "inline", "other")


def test_the_parts_of_an_address() -> None:
    assert split("https://u:p@www.example.org:81/a?b#c") == ("example.org", "81", "/a", "b", "c")
    assert split("ftp://example.org") is None
