import pytest
from hypothesis import given
from hypothesis import strategies as st

from capsa.store.querysyntax import MAX_LENGTH, MAX_TERMS, ParsedQuery, Term, parse_query


def words(text: str) -> list[str]:
    return [" ".join(term.tokens) for term in parse_query(text).optional]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "who must designate a public information officer",
            ["designate", "public", "information", "officer"],
        ),
        ("what is it", ["what", "is", "it"]),
        ("don't panic", ["panic"]),
        ("the officer's duty", ["officer", "duty"]),
        ("foo_bar", ["foo bar", "foo", "bar"]),
        ("1.0.21", ["1 0 21", "21"]),
        ("std::vector", ["std vector", "std", "vector"]),
        ("state-of-the-art", ["state of the art", "state", "art"]),
        ("東京", ["東 京"]),
        ("twice twice", ["twice"]),
        ("C", ["C"]),
        ('5" pipe', ["5", "pipe"]),
        ("-1 is negative", ["1", "negative"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_phrases_exclusions_and_prefixes() -> None:
    assert parse_query('bread "salted butter" -margarine -"low fat" spread*') == ParsedQuery(
        optional=(Term(("bread",)), Term(("spread",), prefix=True)),
        required=(Term(("salted", "butter")),),
        excluded=(Term(("margarine",)), Term(("low", "fat"))),
    )


def test_stop_words_count_when_quoted() -> None:
    assert parse_query('"to be or not to be"').required == (Term(("to", "be", "or", "not", "to", "be")),)


def test_only_exclusions_are_taken_for_what_is_wanted() -> None:
    assert parse_query("-rf -xz") == ParsedQuery(optional=(Term(("rf",)), Term(("xz",))))


@given(st.text(max_size=2000))
def test_any_text_has_a_bounded_reading(text: str) -> None:
    parsed = parse_query(text)
    for terms in (parsed.optional, parsed.required, parsed.excluded):
        assert len(terms) <= MAX_TERMS
        for term in terms:
            assert 0 < len(term.tokens) <= MAX_TERMS
            assert all(0 < len(token) <= MAX_LENGTH and token.isalnum() for token in term.tokens)


@pytest.mark.parametrize(
    ("query", "excluded"),
    [
        ("compressed with -9", ()),
        ("a file compressed with -9?", ()),
        ("at -3.5 degrees", ()),
        ("what is grep -v, and ls -l?", ()),
        ("paper -2024a", (Term(("2024a",)),)),
        ("paper -ab?", (Term(("ab",)),)),
        ("-9", ()),
        ("paper -1" + 9_000 * "." + "x", (Term(("1", "x")),)),
    ],
)
def test_a_minus_before_a_number_or_one_letter_excludes_nothing(
    query: str, excluded: tuple[Term, ...]
) -> None:
    parsed = parse_query(query)
    assert parsed.excluded == excluded
    assert excluded or {"9", "3", "5", "v"} & set(parsed.words)
