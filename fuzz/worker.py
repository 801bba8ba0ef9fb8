"""A worker process: makes a case from its number, runs it, and sends back what came of it."""

from __future__ import annotations

import faulthandler
import importlib
import os
import random
import resource
import shutil
import sys
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING

from fuzz.areas import AREAS
from fuzz.cases import CRASH, Area, Case, Result
from fuzz.execution import run_captured, run_case

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from pathlib import Path

MEMORY_BYTES = 8 << 30  # of address space, of which torch and its threads reserve several
# Imported before the first case, so that it is no slower than the others.
PRELOADED = ("rightreasons.cli", "rightreasons.evaluation.steps", "rightreasons.reports.build", "scipy.stats")
STACK = "stack.txt"
BUILD = -1
BEGUN = "begun"  # sent before a case, when all is loaded that it needs


def make_case(area: Area, number: int, seed: int, shared: Path) -> Case:
    """Make a case of an area; strings are hashed by the generator itself, so the result is always the same."""
    chance = random.Random(f"{seed}/{area.name}/{number}")
    return area.make(chance, shared / area.name)


def serve_cases(connection: Connection, folder: Path, seed: int, seconds: float, plugin: str | None) -> None:
    """Run the cases that come over the connection until it is closed."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ |= {"HF_HUB_OFFLINE": "1", "RIGHTREASONS_CACHE": str(folder / "cache"), "COLUMNS": "200"}
    areas = dict(AREAS)
    if plugin is not None:
        areas |= importlib.import_module(plugin).AREAS
    for name in PRELOADED:
        importlib.import_module(name)
    connection.send(None)
    loaded: set[str] = set()
    with suppress(EOFError, KeyboardInterrupt):  # whoever gives the cases is gone, or was interrupted
        while True:
            name, number = connection.recv()
            _load(areas[name], loaded)
            if number == BUILD:
                connection.send(_build(areas[name], folder))
            else:
                connection.send(BEGUN)
                connection.send(_run(areas[name], number, folder, seed, seconds))


def _load(area: Area, loaded: set[str]) -> None:
    """Import what an area needs, once."""
    if area.name not in loaded and area.load is not None:
        area.load()
    loaded.add(area.name)


def _build(area: Area, folder: Path) -> Result | None:
    """Make what the cases of an area share."""
    build = area.build
    if build is None:
        return None
    place, output = folder / area.name, folder / f"build-{area.name}"
    for each in (place, output):
        each.mkdir(exist_ok=True)
    done = run_captured(lambda: build(place), output)  # what the commands print is of no interest
    return Result(area.name, BUILD, CRASH, "what the cases share", detail=done.trace) if done.trace else None


def _run(area: Area, number: int, folder: Path, seed: int, seconds: float) -> Result:
    place = case_folder(folder, area.name, number)
    shutil.rmtree(place, ignore_errors=True)  # of the same case, which was stopped
    place.mkdir(parents=True)
    with (place / STACK).open("w", encoding="utf-8") as stack:
        faulthandler.dump_traceback_later(seconds * 0.95, file=stack)
        try:
            result = run_case(area.name, number, make_case(area, number, seed, folder), place, seconds)
        except Exception:  # noqa: BLE001 - a fault of the suite itself, shown like one of the program
            result = Result(area.name, number, CRASH, "the case can't be made", detail=traceback.format_exc())
        finally:
            faulthandler.cancel_dump_traceback_later()
    if not result.failed:
        shutil.rmtree(place, ignore_errors=True)
    sys.stdout.flush()
    return result


def case_folder(folder: Path, area: str, number: int) -> Path:
    """Say where a case is run."""
    return folder / "cases" / f"{area}-{number}"
