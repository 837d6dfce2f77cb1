"""Result pages of search engines are known by their addresses, pages that only look so are not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capsa.chunkers.url_searches import search_query
from capsa.chunkers.urls import normalise

RESULTS = {
    "https://www.google.com/search?q=tide+mill&sxsrf=a&ei=b": "tide mill",
    "https://www.google.co.uk/search?client=firefox&q=tide%20mill": "tide mill",
    "https://www.google.com.au/search?q=mill&start=10": "mill",
    "https://scholar.google.com/scholar?hl=en&q=mill": "mill",
    "https://news.google.com/search?q=mill": "mill",
    "https://www.bing.com/search?q=mill&form=QBLH": "mill",
    "https://cn.bing.com/images/search?q=mill": "mill",
    "https://duckduckgo.com/?q=mill&t=h_&ia=web": "mill",
    "https://html.duckduckgo.com/html/?q=mill": "mill",
    "https://search.yahoo.com/search?p=mill": "mill",
    "https://de.search.yahoo.com/search;_ylt=AbC?p=mill": "mill",
    "https://images.search.yahoo.com/search/images?p=mill": "mill",
    "https://www.baidu.com/s?ie=utf-8&wd=%E6%B0%B4%E8%BD%A6": "水车",
    "https://yandex.ru/search/?text=%D0%BC%D0%B5%D0%BB%D1%8C%D0%BD%D0%B8%D1%86%D0%B0&lr=213": "мельница",
    "https://ya.ru/search/?text=mill": "mill",
    "https://www.ecosia.org/search?q=mill": "mill",
    "https://www.startpage.com/sp/search?query=mill": "mill",
    "https://eu-browse.startpage.com/do/dsearch?query=mill": "mill",
    "https://search.brave.com/search?q=mill&source=web": "mill",
    "https://www.qwant.com/?q=mill&t=web": "mill",
    "https://kagi.com/search?q=mill": "mill",
    "https://www.mojeek.com/search?q=mill": "mill",
    "https://searx.example.org/search?q=mill": "mill",
    "https://search.naver.com/search.naver?query=mill": "mill",
    "https://metager.org/meta/meta.ger3?eingabe=mill": "mill",
    "HTTP://WWW.GOOGLE.COM/search?q=%20tide%0A%20mill%20": "tide mill",
}

PAGES = [
    "https://www.google.com/maps/search/mill",
    "https://www.google.com/",
    "https://www.google.com/search?q=",
    "https://www.google.com/search?tbm=isch",
    "https://docs.google.com/document/d/1?q=mill",
    "https://google.com.example.org/search?q=mill",
    "https://notgoogle.com/search?q=mill",
    "https://www.youtube.com/results?search_query=mill",
    "https://en.wikipedia.org/w/index.php?search=mill",
    "https://github.com/search?q=mill",
    "https://duckduckgo.com/about?q=mill",
    "https://example.org/search?q=mill",
    "https://tieba.baidu.com/f?kw=mill",
    "about:blank",
    "",
]


@pytest.mark.parametrize(("url", "query"), RESULTS.items())
def test_the_query_of_a_result_page(url: str, query: str) -> None:
    assert search_query(normalise(url)) == query


@pytest.mark.parametrize("url", PAGES)
def test_other_pages_have_no_query(url: str) -> None:
    assert search_query(normalise(url)) is None


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_judged(text: str) -> None:
    assert search_query(normalise(text)) is None or text
    found = search_query(normalise("https://google.com/search?q=" + text))
    assert found is None or found == " ".join(found.split())
