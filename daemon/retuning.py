"""Other settings for an index that is there: made beside it, or of its codes, and put in its place.

Until that step searches find the old index. What is interrupted leaves it, and goes on the next time unless
the index has changed meanwhile.
"""

import json
import re
import shutil
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capsa.chunkers.errors import CapsaError, UsageError
from capsa.store.home import database_path
from capsa.store.private import make_folder, write_file

from .beginning import require_index
from .excludes import Excludes
from .indexing import Run
from .serving.channel import daemon_aside
from .settings import Settings, load_settings, parse_settings, settings_path
from .targets import resolve_all

if TYPE_CHECKING:
    from capsa.store.records import ModelMark
    from capsa.store.writer import Writer

    from .progress import Progress

# The index that is made beside the old one, what it is made for, and what was set before.
BESIDE, TARGET, BEFORE = "tuning", "target.json", "tuned.json"


@dataclass(frozen=True, slots=True)
class Target:
    """The settings to apply; ``codebook`` is what was trained for the code, in hexadecimal."""

    vectors: str
    chunker: str
    codebook: str = ""


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of it: ``complete`` is false when it was interrupted and the old index stays."""

    complete: bool
    how: str
    notes: tuple[str, ...] = ()


def present(home: Path) -> Target:
    """Return what the index is kept by now."""
    from capsa.store.reader import Reader

    require_index(home)
    with Reader.open(home) as reader:
        mark = reader.model
    settings = load_settings(home)
    code = mark.code if mark else settings.code
    return Target(code, settings.chunker, mark.codebook.hex() if mark else "")


def cost(home: Path, target: Target) -> str:
    """Say what applying the target takes before it is done."""
    from capsa.store.reader import Reader

    now = present(home)
    if now == target:
        return "nothing: the index is kept so already"
    with Reader.open(home) as reader:
        mark, storage = reader.model, reader.storage()
    if is_made_of_codes(mark, now, target):
        return "seconds: the new codes are made of the stored ones, nothing is read or embedded again"
    room, vectors = database_path(home).stat().st_size, _count(storage)
    return (
        f"reading all documents and making {vectors:,} vectors again, and meanwhile "
        f"{room / 1e6:,.0f} MB more of the disk; searches go on in the old index"
    )


def apply(home: Path, target: Target, progress: "Progress") -> Applied:
    """Bring the index to the target and remember what was before; nothing changes unless all of it does."""
    from capsa.store.writer import Writer

    with daemon_aside(home):
        now = present(home)
        if now == target:
            return Applied(True, "the index is kept so already")
        with Writer.open(home) as writer:
            if is_made_of_codes(writer.model, now, target):
                writer.recode(target.vectors)
                writer.publish()
                applied = Applied(True, "made of the stored codes")
            else:
                applied = _make_beside(home, target, writer, progress)
        if applied.complete:
            write_settings(home, {"vectors": target.vectors, "chunker": target.chunker})
            write_file(home / BEFORE, json.dumps(asdict(now)).encode())
            shutil.rmtree(home / BESIDE, ignore_errors=True)
        return applied


def before(home: Path) -> Target:
    """Return what was set before the last change; UsageError when there was none."""
    try:
        return Target(**json.loads((home / BEFORE).read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise UsageError("there is nothing to undo: no tuning was applied") from error


def is_made_of_codes(mark: "ModelMark | None", now: Target, target: Target) -> bool:
    """Whether the target's codes can be made of those that are stored."""
    from capsa.store.recoding import is_nested

    same = now.chunker == target.chunker and not target.codebook
    return mark is not None and same and is_nested(mark, target.vectors)


def write_settings(home: Path, values: Mapping[str, str]) -> None:
    """Set values in the settings file, leaving all else in it as it is; a default is left out."""
    path = settings_path(home)
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for name, value in values.items():
        text = re.sub(rf"^[ \t]*{name}[ \t]*=.*\n?", "", text, flags=re.MULTILINE)
        if getattr(Settings(), name) != value:
            # Above everything else: below a table's head it would belong to the table.
            text = f'{name} = "{value}"\n{text}'
    parse_settings(text, path)
    make_folder(path.parent)
    write_file(path, text.encode())


class _Beside(Run):
    """A run over the index that is made beside the home's."""

    _resolve = staticmethod(resolve_all)

    def __init__(self, home: Path, settings: Settings, progress: "Progress") -> None:
        super().__init__(home / BESIDE, settings, progress)
        self._excludes = Excludes(settings, bytes(home))


def _make_beside(home: Path, target: Target, writer: "Writer", progress: "Progress") -> Applied:
    from capsa.store.writer import Writer

    work = home / BESIDE
    waiting = _pending(home)
    settings = replace(load_settings(home), vectors=target.vectors, chunker=target.chunker)
    if not _is_begun(home, target):
        _begin(home, target, settings)
    report = _Beside(home, settings, progress).index()
    if not report.complete:
        return Applied(False, "interrupted: the old index stays; the same command goes on", report.notes)
    lost = _pending(work) - waiting
    if lost > 0:
        raise CapsaError(
            f"{lost} documents could not be read again (a disk that is not there?): the old index stays"
        )
    with Writer.open(work) as beside:
        # Nothing is left to do when the run before was interrupted here.
        beside.publish()
    writer.take_over(work)
    return Applied(
        True, f"{report.indexed:,} documents read again, {report.embedded:,} vectors made", report.notes
    )


def _begin(home: Path, target: Target, settings: Settings) -> None:
    """Copy the index beside itself and have it forget what the target makes anew."""
    import sqlite3

    from capsa.store.database import open_reading
    from capsa.store.writer import Writer

    from .encoder import find_encoder

    work = home / BESIDE
    shutil.rmtree(work, ignore_errors=True)
    make_folder(work)
    for name in ("models", "cache"):
        if (home / name).is_dir():
            shutil.copytree(home / name, work / name)
    with (
        closing(open_reading(database_path(home))) as source,
        closing(sqlite3.connect(database_path(work))) as copy,
    ):
        source.backup(copy)
    database_path(work).chmod(0o600)
    now = present(home)
    if (now.vectors, now.codebook) != (target.vectors, target.codebook):
        with Writer.open(work) as writer:
            writer.change_model(find_encoder(work).model, settings.code, bytes.fromhex(target.codebook))
    write_file(work / TARGET, json.dumps({**asdict(target), "change": _change(home)}).encode())


def _is_begun(home: Path, target: Target) -> bool:
    """Whether the index beside was begun for this target and this state of the home."""
    try:
        begun: dict[str, Any] = json.loads((home / BESIDE / TARGET).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return False
    return begun == {**asdict(target), "change": _change(home)}


def _change(home: Path) -> int:
    from capsa.store import meta
    from capsa.store.reader import Reader

    with Reader.open(home) as reader:
        return meta.change(reader.connection)


def _pending(home: Path) -> int:
    from capsa.store.reader import Reader

    with Reader.open(home) as reader:
        return reader.counts().pending_documents


def _count(storage: Mapping[str, Any]) -> int:
    return int(storage["vectors"]["count"])
