"""A home in which nothing is indexed yet."""

from pathlib import Path

from capsa.chunkers.errors import UnavailableError
from capsa.store.home import database_path


def require_index(home: Path, so: str = "; begin with `capsa index FOLDER`") -> None:
    """Raise UnavailableError when nothing is indexed yet; ``so`` says what follows from that."""
    if not database_path(home).exists():
        raise UnavailableError(f"nothing is indexed yet{so}")
