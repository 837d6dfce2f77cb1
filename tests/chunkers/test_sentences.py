from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capsa.chunkers.sentences import PIECE, split

# "|" marks the ends of the sentences.
CASES = [
    ("en", "See Sec. 4(2) of the Act.| It applies."),
    ("en", "See Secs. 4 and 5.| They apply."),
    ("en", "As Fig. 3 shows, it grows.| Then it falls."),
    ("en", "Compare Figs. 3 and 4 with Tab. 2.| Both agree."),
    ("en", "Under Art. 5 and Arts. 6-8 nobody may.| All must."),
    ("en", "It is, e.g. here, shown.| And i.e. there."),
    ("en", "E.g. this one is shown.| It is old."),
    ("en", "Write to No. 7 and Nos. 8-9.| They answer."),
    ("en", "He said no.| Then he left."),
    ("en", "The rate is 3.5 percent.| It was 2.75 before."),
    ("en", "Release 1.0.21 is out.| Version v2.4.1 follows."),
    ("en", "Read https://example.org/a.b?c=d.e now.| Then write to a.b@c.org."),
    ("en", "Go to www.example.org.| It is open."),
    ("en", "J. R. R. Tolkien wrote it.| C. S. Lewis read it."),
    ("en", "Mr. Smith met Mrs. Jones and Dr. Wu.| They talked."),
    ("en", "Smith et al. (2019) found it.| Others did not."),
    ("en", "It is in Vol. 2, Ch. 4, pp. 3-4 and App. B.| The rest is lost."),
    ("en", "See Eq. (5) and para. 12.| The proof is short."),
    ("en", "The U.S. Army left at 5 p.m. yesterday.| It was late."),
    ("en", "He left at 5 p.m.| She stayed."),
    ("en", '"Stop!" he said.| She did not.'),
    ("en", 'She asked "Why?"| Then she left.'),
    ("en", "He said “It is done.”| Then he left."),
    ("en", "It works (see Fig. 3. It is blue) as said.| Good."),
    ("en", "(It is done.)| Then he left."),
    ("en", "What is it?| It is a test!| Really."),
    ("en", "Wait... what?| Nothing."),
    ("en", "1. The first thing.| 2. The second thing."),
    ("en", "(a) The thing is so.| (b) The other is not."),
    ("en", "It costs $3.50.| It did cost £2.99."),
    ("en", "It was state of the art.| The rest was not."),
    ("en", "Smith v. Jones was decided in 1999.| It still holds."),
    ("en", "Acme Inc. makes it.| Others sell it."),
    ("en", "It ran on node.js and .NET.| It was fast."),
    ("en", "One line\nand another.| A third."),
    ("en", "A paragraph without a stop|\n\nAnother one"),
    ("en", "See § 5.| It applies."),
    ("en", "Use foo.bar() or a.b().| Both work."),
    ("en", "At 10.30 a.m. it began.| It ended soon."),
    ("en", "The word is viz. a word.| Cf. the note."),
    ("en", "Rule 3(b)(ii) applies.| No. 4 does not."),
    ("de", "Das ist z. B. gut.| Das ist schlecht."),
    ("de", "Das gilt z.B. hier, d.h. überall.| Sonst nicht."),
    ("de", "Am 3. Oktober kam Dr. Müller.| Er blieb."),
    ("de", "Siehe Abb. 3 und Abs. 2.| Beide gelten."),
    ("de", "Nach Art. 5 Abs. 1 Nr. 2 gilt das.| Punkt."),
    ("de", "Vgl. S. 12 ff. und Bd. 3.| Das reicht."),
    ("de", "Das kostet ca. 3,5 Mio. Euro.| Zu viel."),
    ("de", "Er fragte: „Warum?“| Sie schwieg."),
    ("de", "Es waren ca. 20 Leute bzw. Gäste da.| Alle gingen."),
    ("fr", "M. Dupont est là.| Mme. Durand part."),
    ("fr", "Voir art. 5 et fig. 3.| C'est clair."),
    ("fr", "Il dit : « Bonjour. »| Puis il part."),
    ("fr", "Le prix est de 3,5 euros.| C'est cher !| Oui."),
    ("fr", "Cf. p. 12 et vol. 3.| Fin."),
    ("es", "El Sr. López llegó.| La Sra. Ruiz no."),
    ("es", "¿Qué pasa?| ¡Hola!| Nada."),
    ("es", "Véase la fig. 3 y el art. 5.| Es claro."),
    ("es", "Llegó a la pág. 7.| Luego paró."),
    ("zh", "你好。|今天天气很好！|是吗？"),
    ("zh", "他说：“走吧。”|然后离开了。"),
    ("zh", "版本3.5发布了。|价格是2.5元。"),
    ("ja", "これは本です。|「はい。」と言った。|3.5倍です！"),
    ("ja", "本当？|はい、そうです。"),
    ("", "No language is known.| It works."),
    ("xx-YY", "An unknown language.| It works."),
]


@pytest.mark.parametrize(("language", "marked"), CASES)
def test_hard_sentences(language: str, marked: str) -> None:
    text = marked.replace("|", "")
    assert [text[a:b] for a, b in split(text, language)] == [part.strip() for part in marked.split("|")]


@given(st.text(st.sampled_from("ab. A1(。「」“”!?\n\t\u3000:"), max_size=300))
def test_spans_are_sorted_and_cover_what_is_visible(text: str) -> None:
    spans = split(text)
    assert all(a < b for a, b in spans)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
    covered = {position for a, b in spans for position in range(a, b)}
    assert all(position in covered for position, letter in enumerate(text) if not letter.isspace())


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(["a", "a ", "“a. ", "a\n", ".", "Sec. ", "「。", "a! ", "\n", "漢"]), st.integers(1, 3)
)
def test_huge_texts_are_read_in_pieces(unit: str, pieces: int) -> None:
    text = unit * (pieces * PIECE // len(unit))
    spans = split(text)
    assert max((b - a for a, b in spans), default=0) <= 2 * PIECE
    assert sum(len("".join(text[a:b].split())) for a, b in spans) == len("".join(text.split()))


def test_a_sentence_across_the_end_of_a_piece_stays_whole() -> None:
    sentence = "It is the same short sentence again and again."
    text = " ".join([sentence] * (3 * PIECE // len(sentence)))
    assert {text[a:b] for a, b in split(text)} == {sentence}


def test_text_without_sentences_is_cut_at_lines() -> None:
    text = "a line without an end\n" * (PIECE // 5)
    assert all(text[a:b].startswith("a line") and text[a:b].endswith("end") for a, b in split(text))
