"""The language of a document."""

import pytest

from capsa.chunkers.language import detect


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The mill stands by the river and the water turns its wheel all day long."),
        ("de", "Die Mühle steht am Fluss, und das Wasser dreht den ganzen Tag ihr Rad."),
        ("fr", "Le moulin se trouve au bord de la rivière et l'eau fait tourner sa roue."),
    ],
)
def test_a_sentence_is_enough(language: str, text: str) -> None:
    assert detect(text) == language


def test_little_text_says_nothing() -> None:
    assert detect("ok 123 456 789") == ""
