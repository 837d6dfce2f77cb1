"""The libraries that run the models keep to themselves: nothing is sent, and nothing is written elsewhere."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EMBED = """
from pathlib import Path
from capsa.store.embedder import open_embedder
from capsa.store.models import load_model
home = Path({home!r})
embedder = open_embedder(load_model(home), home / "cache")
print(embedder.embed(["whales sing"]).shape)
embedder.close()
"""
OCR = """
import sys
from capsa.chunkers import ocr
if ocr.is_available():
    import pypdfium2
    pdf = pypdfium2.PdfDocument.new()
    print(len(ocr.Recogniser().read(pdf.new_page(300, 300)).lines))
"""


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("script", [EMBED, OCR])
def test_models_open_no_connection_and_leave_no_file(tmp_path: Path, script: str) -> None:
    trace, user = tmp_path / "trace", tmp_path / "user"
    user.mkdir()
    command = ["strace", "-f", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-o", str(trace)]
    environment = {**os.environ, "HOME": str(user)} | {"XDG_CACHE_HOME": str(user / "cache")}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    script = script.format(home=str(tmp_path / "home")) if script is EMBED else script
    subprocess.run([*command, sys.executable, "-c", script], env=environment, check=True)
    assert [line for line in trace.read_text().splitlines() if "AF_INET" in line] == []
    assert [str(path) for path in user.rglob("*") if path.is_file()] == []
