"""A parser worker for tests: it does what the name of the file says, by way of the real serving loop."""

import os
import signal
import sys
import time
from collections.abc import Callable

from capsa.chunkers.errors import ParseError, UnavailableError
from capsa.chunkers.model import Chunk, Document
from capsa.chunkers.wire import dump
from capsa.daemon.worker import Handle, Job, serve, streams


def good(data: bytes) -> bytes:
    return dump(Document(data.decode(), (), "text", title=str(os.getpid())), ())


def hang(data: bytes) -> bytes:
    while True:
        time.sleep(1)


def spin(data: bytes) -> bytes:
    while True:
        pass


def segfault(data: bytes) -> bytes:
    os.kill(os.getpid(), signal.SIGSEGV)
    return b""


def leave(data: bytes) -> bytes:
    os._exit(3)


def eat(data: bytes) -> bytes:
    blocks = []
    while True:
        blocks.append(bytearray(64 << 20))


def want(data: bytes) -> bytes:
    return bytes(1 << 40)


def raise_error(data: bytes) -> bytes:
    raise KeyError("surprise")


def recurse(data: bytes) -> bytes:
    return recurse(data)


def refuse(data: bytes) -> bytes:
    raise ParseError("damaged", "no end of file")


def unfit(data: bytes) -> bytes:
    raise UnavailableError("install the extra")


def write(data: bytes) -> bytes:
    with open(os.path.join(os.environ["TMPDIR"], "written"), "wb") as file:
        file.write(b"x" * 100)
    return b""


def babble(data: bytes) -> bytes:
    sys.stdout.write("x" * 100_000)
    sys.stdout.flush()
    return good(data)


def nonsense(data: bytes) -> bytes:
    os.write(FRAMES, b"\xff" * 64)
    time.sleep(60)
    return b""


def lie(data: bytes) -> bytes:
    return b"[]"


def lie_about_spans(data: bytes) -> bytes:
    return dump(Document("text", (), "text"), [Chunk(0, 1 << 40, 0)])


def lie_about_types(data: bytes) -> bytes:
    return good(data).replace(b'"pages":0', b'"pages":[1]')


def environment(data: bytes) -> bytes:
    return good("\n".join(sorted(os.environ)).encode())


def session(data: bytes) -> bytes:
    import resource

    limits = (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE)
    return good(" ".join(str(resource.getrlimit(limit)[0]) for limit in limits).encode())


DEEDS: dict[str, Callable[[bytes], bytes]] = {
    deed.__name__: deed
    for deed in (
        *(good, hang, spin, segfault, leave, eat, want, raise_error, recurse, refuse, unfit),
        *(write, babble, nonsense, lie, lie_about_spans, lie_about_types, environment, session),
    )
}


def start(job: Job) -> Handle:
    if job.parser == "broken":
        sys.exit("cannot start: the library is missing")
    return lambda request: DEEDS[request.name.split(".")[0]](request.data)


if __name__ == "__main__":
    source, sink = streams()
    FRAMES = sink.fileno()
    serve(source, sink, start)
