from hypothesis import given
from hypothesis import strategies as st

from capsa.chunkers.model import Block, Chunk, Document, Layout, Window
from capsa.chunkers.wire import dump, load

TEXT = st.text(st.characters() | st.sampled_from("\ud800\ud83d\ude00\udfff\u2028\x00"), max_size=60)


@given(TEXT, TEXT, st.dictionaries(TEXT, TEXT, max_size=3))
def test_round_trip(text: str, title: str, metadata: dict[str, str]) -> None:
    blocks = (Block("heading", 0, 1, 3, 2, "html:h2"), Block("table", 1, 2, header_end=2, language="de"))
    layout = Layout("partial", 4, 401.5, "budget")
    document = Document(text, blocks, "pdf", title, "en", 7, "ok", layout, metadata, ("note", title))
    windows = (Window(0, 3), Window(3, 9, ((0, 1), (1, 2))))
    chunks = (Chunk(0, 9, 2, "table", (title, "b"), 1, None, windows, 12), Chunk(9, 10, 9))
    assert load(dump(document, chunks)) == (document, chunks)


def test_huge_text() -> None:
    document = Document("wört\ud83d\ude00" * 300_000, (), "text")
    assert load(dump(document, ())) == (document, ())
