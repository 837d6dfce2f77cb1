"""Evaluation runs of this home and their reports, which ``capsa eval report`` writes."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import CapsaError, UnavailableError
from capsa.store.private import make_folder
from capsa.store.run_list import known_runs

REPORT_SECONDS = 300.0


def list_runs(home: Path, _: Mapping[str, Any]) -> dict[str, Any]:
    """The record ``capsa.runs/1``: the runs that are still where they were written, the latest first."""
    return {"schema": "capsa.runs/1", "runs": list(_runs(home))}


def make_report(home: Path, request: Mapping[str, Any]) -> dict[str, Any]:
    """Make the report of the run of the id ``run``, unless there is one since the run was written."""
    run = str(request.get("run"))
    folder = _folder(home, run)
    page = make_folder(home / "eval" / "reports") / f"{run}.html"
    if not page.exists() or page.stat().st_mtime <= (folder / "run.json").stat().st_mtime:
        _write(home, folder, page)
    return {"made": True}


def read_report(home: Path, run: str) -> bytes:
    """Return the report that was made of the run of this id."""
    _folder(home, run)
    try:
        return (home / "eval" / "reports" / f"{run}.html").read_bytes()
    except FileNotFoundError as error:
        raise UnavailableError("the report of this run is not made yet") from error


def _folder(home: Path, run: str) -> Path:
    folder = next((each for each in known_runs(home) if _id(each) == run), None)
    if folder is None or not (folder / "run.json").is_file():
        raise UnavailableError("this run is not there any more")
    return folder


def _runs(home: Path) -> Iterator[dict[str, Any]]:
    for folder in known_runs(home):
        try:
            state = (folder / "run.json").stat()
            record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(record, dict):
            yield {
                "id": _id(folder),
                "folder": str(folder),
                "command": str(record.get("command", "")),
                "complete": record.get("complete") is True,
                "cells": len(record.get("cells", ())),
                "written": state.st_mtime,
            }


def _write(home: Path, folder: Path, page: Path) -> None:
    """By a program of its own: it loads much, and daemon and eval do not know each other."""
    command = (sys.executable, "-P", "-m", "capsa.daemon", "--home", os.fspath(home))
    done = subprocess.run(
        [*command, "eval", "report", os.fspath(folder), "--out", os.fspath(page)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=REPORT_SECONDS,
        text=True,
        check=False,
    )
    if done.returncode:
        told = done.stderr.strip().splitlines()
        raise CapsaError(told[-1] if told else "the report could not be made")
    page.chmod(0o600)


def _id(folder: Path) -> str:
    return hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
