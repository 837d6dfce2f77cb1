"""Which hosts' pages stay out of the index: banks, health, and what the user adds; see private_hosts.txt."""

from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from importlib.resources import files


class PrivateHosts:
    """A list of hosts: each stands for itself and those below it, ``bank.*`` for any with that label."""

    def __init__(self, excluded: Iterable[str], included: Iterable[str] = ()) -> None:
        names = [name.strip().lower().strip(".") for name in excluded]
        self._labels = {name[:-2] for name in names if name.endswith(".*")}
        self._hosts = set(names)
        self._included = {name.strip().lower().strip(".") for name in included}

    @property
    def mark(self) -> str:
        """Tells whether the list is still the same."""
        names = "\n".join([*sorted(self._hosts), "", *sorted(self._included)])
        return blake2b(names.encode(), digest_size=8).hexdigest()

    def has(self, host: str) -> bool:
        """Whether the host, or one that it is below of, is on the list and not taken in again."""
        labels = host.split(".")
        ends = {".".join(labels[place:]) for place in range(len(labels))}
        if ends & self._included:
            return False
        # The last label is the country or the kind of all hosts: "bank" there is for banks alone.
        return bool(ends & self._hosts) or not self._labels.isdisjoint(labels)

    def takes(self, host: str) -> bool:
        """Whether the user asked for the host by name."""
        labels = host.split(".")
        return any(".".join(labels[place:]) in self._included for place in range(len(labels)))


@cache
def default_hosts() -> tuple[str, ...]:
    """Return the list that comes with capsa."""
    text = (files("capsa.daemon.history") / "private_hosts.txt").read_text(encoding="utf-8")
    lines = (line.split("#")[0].strip() for line in text.splitlines())
    return tuple(line for line in lines if line)
