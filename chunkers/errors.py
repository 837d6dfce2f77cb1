"""The exceptions of capsa, one tree.

CapsaError                 anything a user should read as one line; exit code 1
├── UsageError             the command line or a setting is wrong; exit code 2
├── UnavailableError       the thing asked for is not here (a model, an extra, a daemon); exit code 3
├── ParseError             one document could not be read; recorded with the document, never ends a run
└── StoreError             the home cannot be read or written
"""


class CapsaError(Exception):
    """Something the user must know, in one line that says what, where and what to do."""

    exit_code = 1


class UsageError(CapsaError):
    """The command line or a setting is wrong."""

    exit_code = 2


class UnavailableError(CapsaError):
    """The thing asked for is not available on this machine."""

    exit_code = 3


class ParseError(CapsaError):
    """One document could not be read; ``reason`` is the short word that the counts are kept under."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class StoreError(CapsaError):
    """The home folder's files cannot be read or written as they are."""


class DamagedError(StoreError):
    """The database is not what SQLite wrote."""
