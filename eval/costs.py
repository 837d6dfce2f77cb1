"""What indexing one document costs, in CPU milliseconds: parsing, cutting, embedding (study 003, "costs")."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from capsa.chunkers.context import embedding_texts
from capsa.chunkers.model import LAYOUT_BUDGET_MS, Document

from .cache import CachedEmbedder
from .corpus import Corpus


@dataclass(frozen=True, slots=True)
class Cost:
    """One document's cost by part, in CPU milliseconds."""

    kind: str
    parse_ms: float
    cut_ms: float
    embed_ms: float

    @property
    def total_ms(self) -> float:
        """All parts together."""
        return self.parse_ms + self.cut_ms + self.embed_ms


def document_costs(corpus: Corpus, cached: CachedEmbedder) -> Iterator[Cost]:
    """Yield each document's cost; of embedding, what the same texts took when they were embedded."""
    for item in corpus.items.values():
        texts = [text for part in item.chunks for text in embedding_texts(item.document, part)]
        yield Cost(item.document.kind, item.source.parse_ms, item.cut_ms, sum(cached.costs(texts)))


def medians(costs: Sequence[Cost]) -> Mapping[str, float]:
    """Return the median of the total over all documents, and over those of each format."""
    kinds = sorted({cost.kind for cost in costs})
    groups = {"all": list(costs)} | {kind: [cost for cost in costs if cost.kind == kind] for kind in kinds}
    return {name: median(cost.total_ms for cost in group) for name, group in groups.items() if group}


def capped_share(documents: Iterable[Document]) -> float | None:
    """Return the share of PDFs whose layout pass takes more than the usual budget, None without a PDF."""
    pdfs = [document for document in documents if document.kind == "pdf"]
    over = [pdf for pdf in pdfs if pdf.layout.ms > LAYOUT_BUDGET_MS or pdf.layout.cut]
    return len(over) / len(pdfs) if pdfs else None
