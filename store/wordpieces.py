"""Text to token ids with a model's own tokenizer.json: never cut, never padded."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import tokenizers

from capsa.chunkers.errors import UnavailableError

Ids = npt.NDArray[np.int32]


class WordPieces:
    """The tokenizer of one model."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise UnavailableError(f"the model's tokenizer is missing: {path}")
        try:
            self._tokenizer = tokenizers.Tokenizer.from_file(str(path))
        # tokenizers raises nothing narrower for a file it cannot read.
        except Exception as error:
            raise UnavailableError(f"{path} is not a tokenizer.json: {error}") from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._head, self._tail = self._special_tokens()

    def ids(self, text: str) -> Ids:
        """Return the token ids of a text, special tokens included."""
        return np.array(self._tokenizer.encode(replace_surrogates(text)).ids, dtype=np.int32)

    def bare_ids(self, text: str) -> list[int]:
        """Return the token ids of a text without special tokens."""
        return list(self._tokenizer.encode(replace_surrogates(text), add_special_tokens=False).ids)

    def enclose(self, ids: Sequence[int]) -> Ids:
        """Put the special tokens around bare ids."""
        return np.array([*self._head, *ids, *self._tail], dtype=np.int32)

    @property
    def special(self) -> int:
        """How many special tokens stand around a text."""
        return len(self._head) + len(self._tail)

    @property
    def padding(self) -> int:
        """The id that fills up a row of a batch; masked, so any id serves where the model names none."""
        found = (self._tokenizer.token_to_id(token) for token in ("[PAD]", "<pad>"))
        return next((token for token in found if token is not None), 0)

    def _special_tokens(self) -> tuple[list[int], list[int]]:
        encoding = self._tokenizer.encode("a")
        body = [place for place, special in enumerate(encoding.special_tokens_mask) if not special]
        return encoding.ids[: body[0]], encoding.ids[body[-1] + 1 :]


def replace_surrogates(text: str) -> str:
    """Put U+FFFD for lone surrogates, which the tokenizer refuses."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
