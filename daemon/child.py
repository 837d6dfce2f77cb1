"""One parser worker as its parent sees it: started when needed, killed when late, replaced when it ends."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, get_args

from capsa.chunkers.errors import CapsaError, UnavailableError, UsageError
from capsa.chunkers.model import Chunk, ChunkKind, Document

from .frames import FrameError, StreamEnded, read_frame, read_record, write_frame, write_record
from .manners import LAST
from .worker import Job, Request

RECYCLE_FILES = 500
RECYCLE_SHARE = 0.375
"""The part of a worker's memory limit from which on it is replaced: 768 MB for a parser."""
# A worker that gets what nobody else wants may wait for it; its own work is bounded by time of the processor.
PATIENT_DEADLINES = 10
# So long at least it may take to start, whatever a file may take.
START_SECONDS = 60.0
# A process closes its pipes before it has ended, on a busy machine long before.
ENDING_SECONDS = 30.0
_KEPT_ENVIRONMENT = (
    *("PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "WINDIR", "TMPDIR", "TEMP", "TMP", "LANG", "LC_ALL"),
    *("LC_CTYPE", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
)
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1"
)

# What a worker may say that ends the run instead of one file.
_UNFIT: dict[str, type[CapsaError]] = {"UnavailableError": UnavailableError, "UsageError": UsageError}


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file that became a document."""

    document: Document
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that did not, with the reason it is counted under."""

    reason: str
    detail: str


Outcome = Parsed | Failure


class Child:
    """One process, started when needed and again after each end."""

    def __init__(self, job: Job, command: Sequence[str]) -> None:
        self._job = job
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._files = 0
        self.peak_bytes = 0
        self._lock = threading.Lock()
        self._deadline: float | None = None
        self._late = False
        self._closed = False

    def ask(self, request: Request) -> bytes | Failure:
        """Have one file worked on; every end of the process becomes a Failure."""
        process = self._ready()
        self._start_clock(self._seconds(request.deadlines))
        try:
            reply = self._ask(process, request)
        except (OSError, FrameError) as error:
            return self._died(process, error)
        finally:
            self._stop_clock()
        outcome, resident = reply
        self._files += 1
        self.peak_bytes = resident
        spent = self._files >= RECYCLE_FILES or resident > RECYCLE_SHARE * self._job.memory_bytes
        # One that met its limit ends by itself after the answer, perhaps not yet.
        met_limit = isinstance(outcome, Failure) and outcome.reason == "limit"
        if spent or met_limit or process.poll() is not None:
            self.stop()
        return outcome

    def check_deadline(self, now: float) -> None:
        """Kill the process when its file takes too long; called from the pool's clock."""
        with self._lock:
            if self._deadline is not None and now > self._deadline and self._process is not None:
                self._late = True
                self._process.kill()

    def close(self) -> None:
        """End the process for good, from any thread: a read of its answer ends with it."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.kill()

    def stop(self) -> None:
        """End the process and give back its pipes; the next file starts another."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            _close_quietly(process.stdin)
            _close_quietly(process.stdout)
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def _ask(self, process: subprocess.Popen[bytes], request: Request) -> tuple[bytes | Failure, int]:
        assert process.stdin is not None
        assert process.stdout is not None
        record = {"name": request.name, "page": request.page, "deadlines": request.deadlines}
        write_record(process.stdin, record)
        write_frame(process.stdin, request.data)
        write_frame(process.stdin, request.recognised)
        reply = read_record(process.stdout)
        if reply is None:
            raise StreamEnded("the process ended")
        status, resident = reply.get("status"), reply.get("rss")
        if not isinstance(resident, int):
            raise FrameError("an answer without its memory")
        reason, detail = str(reply.get("reason")), str(reply.get("detail"))
        if status == "unfit":
            raise _UNFIT.get(reason, CapsaError)(detail)
        if status == "failed":
            return Failure(reason, detail), resident
        body = read_frame(process.stdout)
        if body is None:
            raise StreamEnded("the process ended")
        return body, resident

    def _ready(self) -> subprocess.Popen[bytes]:
        if self._process is not None:
            return self._process
        process = self._start()
        with self._lock:
            self._process, self._files, self.peak_bytes = process, 0, 0
            if self._closed:
                process.kill()
        self._start_clock(max(START_SECONDS, self._seconds(1)))
        try:
            self._greet(process)
        finally:
            self._stop_clock()
        return process

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in stop
            return subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=_environment(),
                start_new_session=True,
            )
        except OSError as error:
            self.stop()
            raise CapsaError(f"a parser worker does not start: {error}") from error

    def _greet(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            write_record(process.stdin, self._job.to_json())
            greeting = read_record(process.stdout)
            if greeting is not None and greeting.get("status") == "ready":
                return
        except (OSError, FrameError):
            pass  # told below, with what the process said
        message = self._last_words()
        self.stop()
        raise CapsaError(f"a parser worker does not start: {message}")

    def _last_words(self) -> str:
        if self._errors is None:
            return "no message"
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "no message"

    def _start_clock(self, seconds: float) -> None:
        with self._lock:
            self._late = False
            self._deadline = time.monotonic() + seconds

    def _seconds(self, deadlines: int) -> float:
        patience = PATIENT_DEADLINES if self._job.niceness == LAST else 1
        return self._job.deadline_s * deadlines * patience

    def _stop_clock(self) -> None:
        with self._lock:
            self._deadline = None

    def _too_slow(self) -> str:
        return f"not done in {self._job.deadline_s:g} s"

    def _died(self, process: subprocess.Popen[bytes], error: Exception) -> Failure:
        try:
            code: int | None = process.wait(ENDING_SECONDS if _is_end(error) else 0)
        except subprocess.TimeoutExpired:
            code = None
        self.stop()
        if self._late:
            return Failure("timeout", self._too_slow())
        if sys.platform != "win32" and code == -signal.SIGXCPU:
            return Failure("timeout", self._too_slow())
        if code is not None and code < 0:
            return Failure("crash", f"the parser died of {signal.Signals(-code).name}")
        ending = "broke its pipe" if code is None else f"ended with code {code}"
        return Failure("crash", f"the parser {ending}: {error}")


def _is_end(error: Exception) -> bool:
    """Whether the pipe was closed, and not only misused."""
    return isinstance(error, OSError | StreamEnded)


def load_parsed(body: bytes) -> Outcome:
    """What a parser worker answered; a Failure when it is no document."""
    from capsa.chunkers import wire

    try:
        document, chunks = wire.load(body)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        return Failure("crash", f"the parser's answer makes no sense: {type(error).__name__}")
    if not is_sound(document, chunks):
        return Failure("crash", "the parser's answer makes no sense")
    return Parsed(document, tuple(chunks))


def is_sound(document: Document, chunks: Sequence[Chunk]) -> bool:
    """Whether an answer may be trusted to be stored: a document may have taken its parser over."""
    layout = document.layout
    strings = [document.text, document.title, document.kind, document.language, document.outcome]
    strings += [layout.state, layout.reason, *(heading for chunk in chunks for heading in chunk.headings)]
    numbers = (document.pages, document.ocr_pages, layout.pages_done, layout.ms, layout.wall_ms)
    spans = [(chunk.start, chunk.end) for chunk in chunks]
    spans += [(window.start, window.end) for chunk in chunks for window in chunk.windows]
    return (
        all(isinstance(value, str) for value in strings)
        and all(isinstance(value, int | float) for value in numbers)
        and all(chunk.kind in get_args(ChunkKind) for chunk in chunks)
        and all(_is_span(start, end, len(document.text)) for start, end in spans)
    )


def _is_span(start: object, end: object, length: int) -> bool:
    return isinstance(start, int) and isinstance(end, int) and 0 <= start <= end <= length


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
    return {**kept, **_ONE_THREAD, "TOKENIZERS_PARALLELISM": "false"}


def _close_quietly(stream: IO[bytes] | None) -> None:
    try:
        if stream is not None:
            stream.close()
    except OSError:
        pass  # what was still buffered for a process that is gone
