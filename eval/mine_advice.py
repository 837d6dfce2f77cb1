"""Storage against recall in plain words: which code a home should keep its vectors in."""

from collections.abc import Iterator, Mapping
from typing import Any

# Points of recall, at any depth, that a smaller code may lose against exact vectors.
TOLERANCE = 1.0
# Below so many questions a point is less than one of them.
FEWEST_QUESTIONS = 100
# Less is not worth embedding everything anew.
WORTH_BYTES = 1_000_000
EXACT = "float32"
ARMS = ("hybrid", "dense")


def advise(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the code to keep (None without vectors) and why, sentence by sentence."""
    codes = {each["name"]: each for each in result["vectors"] if each["name"] != EXACT}
    if not codes:
        text = ["The index has no vectors: it is searched by words only, and there is nothing to save."]
        return {"keep": None, "text": text}
    keep = choose(codes, result["code"])
    return {"keep": keep, "text": list(_sentences(result, codes, keep))}


def choose(codes: Mapping[str, Mapping[str, Any]], now: str | None) -> str:
    """Return the smallest code that loses at most TOLERANCE points, else the largest.

    The one in use is left when that saves too little.
    """
    by_size = sorted(codes, key=lambda name: codes[name]["bytes_per_vector"])
    best = next((name for name in by_size if suffices(codes[name])), by_size[-1])
    if now is not None and now in codes and 0 <= codes[now]["bytes"] - codes[best]["bytes"] < WORTH_BYTES:
        return str(now)
    return best


def suffices(code: Mapping[str, Any]) -> bool:
    """Whether a code loses at most TOLERANCE points."""
    return lost(code) <= TOLERANCE


def lost(code: Mapping[str, Any]) -> float:
    """Return the most points of recall that a code loses against exact vectors: hybrid or dense, any depth.

    Questions made from a document's own words are easy for the keyword arm; those in other words depend on
    the dense one.
    """
    means = [each["mean"] for arm in ARMS for each in code[arm]["difference"].values()]
    return float(round(max(0.0, -100 * min(means)), 6))


def in_words(size: float) -> str:
    """Return bytes for reading."""
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:,.0f} kB"


def _sentences(result: Mapping[str, Any], codes: Mapping[str, Mapping[str, Any]], keep: str) -> Iterator[str]:
    exact = next(each for each in result["vectors"] if each["name"] == EXACT)
    for name in dict.fromkeys((result["code"], keep)):
        if name in codes:
            sizes = (
                f"{in_words(codes[name]['bytes'])} in place of {in_words(exact['bytes'])} for exact vectors"
            )
            yield f"{name}: {sizes}; it loses {_answers(lost(codes[name]))}."
    yield _verdict(result["code"], codes, keep)
    count = result["questions"]["count"]
    if count < FEWEST_QUESTIONS:
        yield f"With only {count} questions this is rough."


def _answers(points: float) -> str:
    return f"up to {points:.1f} of 100 answers, by hybrid or dense search" if points else "no answer"


def _verdict(now: str | None, codes: Mapping[str, Mapping[str, Any]], keep: str) -> str:
    enough = min(
        filter(lambda name: suffices(codes[name]), codes), key=lambda name: _size(codes, name), default=keep
    )
    if keep == now and _size(codes, enough) < _size(codes, keep):
        saving = in_words(codes[keep]["bytes"] - codes[enough]["bytes"])
        return f"Recommendation: leave it at {keep}. {enough} would do, and saves only {saving}."
    if now is None or keep == now or now not in codes:
        return f"Recommendation: leave it at {keep}."
    change = codes[keep]["bytes"] - codes[now]["bytes"]
    what = f"saves {in_words(-change)}" if change < 0 else f"costs {in_words(change)} more"
    return (
        f"Recommendation: {keep}. It {what}. `capsa tune` weighs more settings and can apply one; or write "
        f'vectors = "{keep}" into config.toml and run `capsa index`, which embeds all documents anew.'
    )


def _size(codes: Mapping[str, Mapping[str, Any]], name: str) -> int:
    return int(codes[name]["bytes_per_vector"])
