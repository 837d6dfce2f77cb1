"""Making deleted text unreadable: SQLite keeps what was deleted in free pages, FTS5 in old segments."""

import sqlite3
import time

from capsa.chunkers.errors import StoreError

from . import keywords
from .database import cut_log

# A search reads for milliseconds; what reads longer hinders the end of the log from being cut off.
PATIENCE_SECONDS = 30.0


def wipe(connection: sqlite3.Connection) -> None:
    """Write the database anew without anything that was deleted, and empty its log.

    Takes about as long as writing the file twice. Raises StoreError while another process keeps reading.
    """
    keywords.join_all(connection)
    connection.execute("VACUUM")
    end = time.monotonic() + PATIENCE_SECONDS
    while not cut_log(connection):
        if time.monotonic() > end:
            raise StoreError(
                "what was removed is still in the log, which another program reads; repeat it when that ended"
            )
        time.sleep(0.05)
