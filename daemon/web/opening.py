"""Opening a document in its own program, or its folder: only what is indexed, and still a document."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import UnavailableError, UsageError
from capsa.store.reader import Reader

from ..excludes import Excludes
from ..settings import load_settings
from ..targets import containing

# What a system may run when it is asked to open it is only shown in its folder.
RUNNABLE = frozenset(["code"])


def open_file(home: Path, request: Mapping[str, Any]) -> dict[str, Any]:
    """Open the document of the id ``document`` in the program that the system has for it."""
    path, kind = _checked(home, request)
    if kind in RUNNABLE:
        raise UsageError("source code is not opened from here, since it might be run; show it in its folder")
    launch(path, in_folder=False)
    return {"opened": True}


def reveal(home: Path, request: Mapping[str, Any]) -> dict[str, Any]:
    """Show the document of the id ``document`` in its folder."""
    path, _ = _checked(home, request)
    launch(path, in_folder=True)
    return {"opened": True}


def document_place(reader: Reader, request: Mapping[str, Any]) -> tuple[bytes | None, str]:
    """The path of the document of the id ``document``, None when it is no file, and its URI."""
    path, uri, _ = _row(reader, request)
    return path, uri


def launch(path: str, in_folder: bool) -> None:
    """Have the system open the file, or the folder that it is in."""
    if sys.platform == "win32":
        if in_folder:
            subprocess.Popen(["explorer", f"/select,{path}"])
        else:
            os.startfile(path)
    elif sys.platform == "darwin":
        _start(["open", "-R", path] if in_folder else ["open", path])
    else:
        _start(["xdg-open", os.path.dirname(path) if in_folder else path])


def _start(command: Sequence[str]) -> None:
    if shutil.which(command[0]) is None:
        raise UnavailableError(f"this system has no {command[0]} to open files with")
    nowhere = subprocess.DEVNULL
    subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)


def _checked(home: Path, request: Mapping[str, Any]) -> tuple[str, str]:
    """The path and the kind of the document, which is a regular file of a source and not left out."""
    with Reader.open(home) as reader:
        path, _, kind = _row(reader, request)
        roots = [source.path for source in reader.sources() if source.kind == "folder"]
    if path is None:
        raise UnavailableError("this document is no file")
    root = containing(path, roots)
    excludes = Excludes(load_settings(home), os.fsencode(home))
    if root is None or excludes.reason(root, path) is not None:
        raise UsageError("this file is left out of the index now, and is not opened")
    try:
        regular = stat.S_ISREG(os.lstat(path).st_mode)
    except OSError as error:
        raise UnavailableError("this file is not there any more") from error
    if not regular or os.path.realpath(path) != path:
        raise UsageError("this is not a regular file any more, and is not opened")
    return os.fsdecode(path), kind


def _row(reader: Reader, request: Mapping[str, Any]) -> tuple[bytes | None, str, str]:
    """Path, URI and kind."""
    row = reader.connection.execute(
        "SELECT path, uri, kind FROM documents WHERE id = ?", (_id(request),)
    ).fetchone()
    if row is None:
        raise UnavailableError("this document is no longer in the index")
    return row[0], row[1], row[2]


def _id(request: Mapping[str, Any]) -> int:
    value = request.get("document")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63:
        return value
    raise UsageError("document: must be an id that a record gave")
