"""The language of a document."""

import pytest

from capsa.chunkers.language import detect


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The mill stands by the river and the water turns its wheel all day long."),
        ("de", "Die Mühle steht am Fluss, und das Wasser dreht den ganzen Tag ihr Rad."),
        ("fr", "Le moulin se trouve au bord de la rivière et l'eau fait tourner sa roue."),
        ("es", "El molino está junto al río y el agua hace girar su rueda todo el día."),
        ("it", "Il mulino si trova vicino al fiume e l'acqua fa girare la ruota tutto il giorno."),
        ("pt", "O moinho fica junto ao rio e a água faz girar a sua roda durante todo o dia."),
        ("nl", "De molen staat aan de rivier en het water draait de hele dag zijn rad rond."),
        ("pl", "Młyn stoi nad rzeką, a woda przez cały dzień obraca jego wielkie koło."),
        ("ru", "Мельница стоит у реки, и вода целый день вращает её большое колесо."),
        ("tr", "Değirmen nehrin kıyısında duruyor ve su bütün gün çarkını döndürüyor."),
        ("he", "הטחנה עומדת ליד הנהר והמים מסובבים את הגלגל שלה כל היום עד הערב."),
        (
            "ja",
            "水車小屋は川のそばに立っていて、水が一日中その大きな車輪を回しています。冬でも止まることはありません。",
        ),
        (
            "zh",
            "磨坊坐落在河边,河水整天推动着它的大轮子,到了冬天也不会停下来,村里的人都到这里来磨面粉,孩子们在水边玩耍。",
        ),
    ],
)
def test_a_sentence_is_enough(language: str, text: str) -> None:
    assert detect(text) == language


def test_little_text_says_nothing() -> None:
    assert detect("ok 123 456 789") == ""


def test_characters_that_are_no_text_are_passed_over() -> None:
    sentence = "The mill stands by the river and the water turns its wheel all day long. "
    # All of Unicode, the first planes thinned out: control characters, surrogates, unassigned ones.
    for start in (*range(0, 0x11000, 100), *range(0x11000, 0x110000, 0x1000)):
        strange = "".join(map(chr, range(start, start + 100)))
        assert isinstance(detect(sentence + strange), str)
    assert detect(sentence + "\x00\x1b\x9f\ud800\ufffe") == "en"
