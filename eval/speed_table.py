"""The measures of ``capsa eval speed`` for a reader who sees them for the first time."""

from collections.abc import Iterator, Mapping
from typing import Any

WIDTH = 42


def lines(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the table line by line."""
    machine = result["machine"]
    load = "" if machine["load"] is None else f", load {machine['load']:.1f}"
    yield (
        f"capsa on {machine['system']} {machine['processor']}, {machine['cores']} cores, "
        f"Python {machine['python']}{load}; documents: {result['documents']}"
    )
    if result["quick"]:
        yield "A quick run: it shows that everything works, its figures mean nothing."
    yield from _embedding(result["embedding"])
    yield from _search(result["search"])
    yield from _index(result["search"])
    yield from _formats(result["indexing"]["formats"])
    yield from _command(result["indexing"]["command"])


def _row(label: str, text: str, meaning: str = "") -> str:
    return f"  {label:<{WIDTH}}{text:>16}   {meaning}".rstrip()


def _embedding(found: Mapping[str, Any]) -> Iterator[str]:
    rates, ratios, peak, fidelity = (found[name] for name in ("rates", "ratios", "peak", "fidelity"))
    yield f"\nEmbedding ({found['texts']} texts, {found['tokens']:,} tokens)"
    names = {
        "fast_one_thread": "capsa's graph, one thread",
        "fast_all_cores": f"capsa's graph, {found['cores']} threads",
        "shipped_best": "the model's file, batches of 8 by length",
        "shipped_usual": "the model's file, batches of 32 in order",
    }
    for name, label in names.items():
        rate = rates[name]
        yield _row(label, f"{rate['tokens_per_s']:,.0f} tokens/s", f"{rate['chunks_per_s']:.1f} chunks/s")
    yield _row("capsa's graph against the file at its best", f"{ratios['fast_to_best']:.2f} x", "one thread")
    yield _row("  against the usual way", f"{ratios['fast_to_usual']:.2f} x", "one thread")
    yield _row("all cores against one thread", f"{ratios['all_cores_to_one']:.2f} x")
    yield _row(
        "operations against the float32 peak",
        f"{peak['fast_to_float32_peak']:.2f} x",
        f"{peak['fast_gops_one_thread']:.0f} of {peak['float32_gflops_one_core']:.0f} G/s on one core",
    )
    yield _row("  the file at its best", f"{peak['shipped_best_to_float32_peak']:.2f} x")
    yield _row("cosine to the file's vectors, median", f"{fidelity['median']:.4f}", _low(fidelity))
    same = found["same_vectors"]
    yield _row("the same vectors in any order", _yes(same["in_any_order"]))
    yield _row("the same vectors from any thread", _yes(same["from_any_thread"]))
    query, start = found["query_ms"], found["start"]
    yield _row("a query's vector, p50", f"{query['p50']:.1f} ms", f"p95 {query['p95']:.1f} ms")
    imports = f"after {start['import_cpu_ms']:.0f} ms of imports"
    yield _row("opening the model, CPU", f"{start['open_cpu_ms']:.0f} ms", imports)


def _low(fidelity: Mapping[str, float]) -> str:
    return f"p5 {fidelity['p5']:.4f}, lowest {fidelity['min']:.4f}"


def _search(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"\nSearch ({found['chunks']:,} chunks of {found['documents']:,} documents)"
    names = {
        "total": "a warm search",
        "keyword_arm": "  keywords (BM25), and beside them",
        "query_embedding": "    the query's vector",
        "dense_arm": "    nearest vectors",
        "rest": "  fusion, texts, snippets, waiting",
    }
    for name, label in names.items():
        yield _spread_row(label, found["warm_ms"][name])
    yield _spread_row("a warm search, CPU time", found["warm_cpu_ms"])
    for name, spread in found["filtered_ms"].items():
        yield _spread_row(f"a search filtered by {name}", spread)
    cold = found["cold"]
    yield _row("capsa search, the whole command", f"{cold['wall_ms']:.0f} ms", f"CPU {cold['cpu_ms']:.0f} ms")


def _spread_row(label: str, spread: Mapping[str, float]) -> str:
    return _row(
        label, f"p50 {spread['p50']:.1f} ms", f"p95 {spread['p95']:.1f} ms, mean {spread['mean']:.1f}"
    )


def _index(found: Mapping[str, Any]) -> Iterator[str]:
    storage, loading = found["storage"], found["vector_index"]
    yield "\nSize of that index"
    for name, size in storage["bytes"].items():
        yield _row(name, f"{size / 1e6:.1f} MB", f"{size / storage['text_bytes']:.2f} x the text")
    yield _row(
        "whole index",
        f"{storage['total_bytes'] / 1e6:.1f} MB",
        f"{storage['index_to_text']:.2f} x the text, {storage['bytes_per_chunk']:.0f} bytes a chunk",
    )
    yield _row(
        "loading the vector file",
        f"{loading['load_ms']:.0f} ms",
        f"rebuilding it from SQLite: {loading['rebuild_to_load']:.1f} x as long",
    )


def _formats(formats: Mapping[str, Any]) -> Iterator[str]:
    yield "\nIndexing by format, shares of CPU time (one thread)"
    heads = "".join(f"{name:>8}" for name in ("parse", "chunk", "write", "embed"))
    times = f"{'parse ms':>10}{'p95':>8}{'a page':>8}{'cut':>6}"
    yield f"  {'':<12}{'docs':>6}{heads}{'all but embed':>15}{times}"
    for name, found in formats.items():
        shares = "".join(f"{share:>8.1%}" for share in found["shares"].values())
        rest, parse, page = (
            found[key] for key in ("without_embedding_share", "parse_ms", "parse_ms_per_page")
        )
        pages = f"{page['median']:>8.1f}" if page else f"{'':>8}"
        cut = f"{found['partial_layout_share']:>6.0%}"
        yield (
            f"  {name:<12}{found['documents']:>6}{shares}{rest:>15.1%}"
            f"{parse['median']:>10.1f}{parse['p95']:>8.1f}{pages}{cut}"
        )


def _command(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"\ncapsa index ({found['files']:,} files, {found['mb']:.1f} MB)"
    names = {"without_model": "without a model", "with_model": "with it", "unchanged": "nothing changed"}
    for name, label in names.items():
        run = found[name]
        cpu = run["cpu_s"] + run["children_cpu_s"]
        details = f"CPU {cpu:.1f} s, {run['chunks_per_s']:.0f} chunks/s, {run['mb_per_s']:.1f} MB/s"
        if name == "unchanged":
            details = f"CPU {cpu:.2f} s, model loaded: {_yes(run['model_loaded'])}"
        yield _row(label, f"{run['wall_s']:.2f} s", details)
    for name, label in names.items():
        peak, written = found[name]["peak_bytes"], found[name]["written_per_byte"]
        wrote = "" if written is None else f"wrote {written:.2f} bytes for each byte of the files"
        yield _row(f"most memory, {label}", _megabytes(peak), wrote)
        worker = found[name]["child_peak_bytes"]
        if worker:
            yield _row("  of a process that parses", _megabytes(worker))


def _megabytes(size: int | None) -> str:
    return "unknown" if size is None else f"{size / 1e6:.0f} MB"


def _yes(value: bool) -> str:
    return "yes" if value else "no"
