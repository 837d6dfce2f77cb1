"""What a run's parser workers are told, and what the documents they make are known by."""

from typing import TYPE_CHECKING

from capsa.chunkers.parsers import VERSION

from .settings import Settings
from .survey import Versions

# A run over unchanged files needs no more than the versions.
if TYPE_CHECKING:
    from capsa.store.unfinished import Wanted

    from .encoder import Encoder
    from .worker import Job

FINISH_DEADLINE_S = 300.0
"""Seconds that the parsing of one document may take when it is finished."""


def make_versions(settings: Settings, vectors: bool) -> Versions:
    """What documents and failures of these settings are known by; ``vectors`` says that a model is there."""
    documents = f"{settings.parser}/{VERSION}/{settings.chunker}"
    limits = f"{settings.max_file_bytes}/{settings.max_text_bytes}/{settings.parse_deadline_s:g}"
    return Versions(documents, f"{documents}/{limits}", vectors)


def what_is_wanted(settings: Settings) -> "Wanted":
    """What can be finished with these settings on this machine."""
    from capsa.chunkers import ocr
    from capsa.store.unfinished import Wanted

    scans = ocr.is_available()
    limits = f"{settings.finish_budget_ms:g}/{FINISH_DEADLINE_S:g}"
    if scans:
        limits += f"/{ocr.ENGINE}/{settings.finish_ocr_pages}"
    return Wanted(make_versions(settings, vectors=True).documents, limits, scans)


def make_job(settings: Settings, encoder: "Encoder", gentle: bool = False) -> "Job":
    """What the parser workers of a run are told; ``gentle`` ones take what nobody else wants."""
    from capsa.chunkers.strategies import WINDOW
    from capsa.store.models import tokenizer_path

    from .manners import LAST
    from .worker import Job

    return Job(
        parser=settings.parser,
        chunker=settings.chunker,
        tokenizer=str(tokenizer_path(encoder.model)),
        window=min(encoder.model.room, WINDOW),
        layout_budget_ms=settings.layout_budget_ms,
        max_text_bytes=settings.max_text_bytes,
        deadline_s=settings.parse_deadline_s,
        niceness=LAST if gentle else 0,
    )
