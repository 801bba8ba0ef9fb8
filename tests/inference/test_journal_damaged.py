"""Damaged plans and journals: the same predictions as ever, or one clear refusal; never others, never a traceback."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from batched import Watched, some_pairs
from rightreasons import inference
from rightreasons.core.errors import InputError
from rightreasons.inference.journal import PLAN_FILE, PREDICTIONS_FILE
from rightreasons.inference.unfinished_runs import read_unfinished_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import polars as pl

PAIRS = some_pairs(14)
TOO_LONG = ("Hypothesis 3.", "Hypothesis 9.")
CASES = 200  # of each kind of damage
KEPT = 3  # batches that were predicted before the interrupt


def model(**more: Any) -> Watched:
    return Watched(size=3, too_long=TOO_LONG, **more)


@pytest.fixture(scope="module")
def whole() -> pl.DataFrame:
    """Predict without any journal."""
    return inference.predict_pairs(model(), PAIRS).predictions


@pytest.fixture(scope="module")
def cut_off(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Leave a journal that was interrupted on the way, as evaluate lays it out."""
    left = iter(range(KEPT))

    def disturb(_: list[str]) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt

    place = tmp_path_factory.mktemp("cut") / "run.unfinished" / "set" / "model"
    with pytest.raises(KeyboardInterrupt):
        inference.predict_pairs(model(disturb=disturb), PAIRS, place)
    return place


def bytewise(data: bytes) -> Iterator[bytes]:
    """Damage every byte: one bit, the next character, gone, twice; and cut the file off everywhere."""
    for at in range(len(data)):
        head, byte, tail = data[:at], data[at], data[at + 1 :]
        yield from (head + new + tail for new in (bytes([byte ^ 1]), bytes([(byte + 1) % 128]), b"", b"\xff"))
        yield head


def _fields(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """List the places of all values in a document."""
    if path:
        yield path
    if isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _fields(one, (*path, key))


def structural(data: bytes) -> Iterator[bytes]:
    """Replace, remove, reverse or repeat every field, with the checksum as it was."""
    document = json.loads(data)
    for path in _fields(document):
        for change in CHANGES:
            copy = json.loads(data)
            parent = copy
            for key in path[:-1]:
                parent = parent[key]
            change(parent, path[-1])
            yield json.dumps(copy).encode()
    yield from (b"", b"null", b"[]", b"3", b"{}", b"[" * 100_000, json.dumps(document["plan"]).encode())


def _put(value: Any) -> Callable[[Any, Any], None]:
    def put(parent: Any, key: Any) -> None:
        parent[key] = value

    return put


def _reverse(parent: Any, key: Any) -> None:
    if isinstance(parent[key], list):
        parent[key].reverse()


def _repeat(parent: Any, key: Any) -> None:
    if isinstance(parent[key], list):
        parent[key] += parent[key]


def _remove(parent: Any, key: Any) -> None:
    del parent[key]


CHANGES = [*map(_put, (None, -1, 0, 99, 1.5, "x", [], {}, [[0]], True)), _reverse, _repeat, _remove]


def some(data: bytes, kind: Callable[[bytes], Iterator[bytes]]) -> list[bytes]:
    """Draw from the ways to damage a file."""
    damaged = sorted({one for one in kind(data) if one != data})
    places = np.random.default_rng(0).permutation(len(damaged))[:CASES]
    return [damaged[place] for place in places]


def resumed(cut_off: Path, place: Path, name: str, data: bytes) -> tuple[pl.DataFrame | None, int]:
    """Damage a file of a copy of the journal and resume: the predictions or None, and how many were kept."""
    shutil.copytree(cut_off, place)
    (path,) = place.glob(f"*/{name}")
    path.write_bytes(data)
    try:
        found = inference.predict_pairs(model(), PAIRS, place)
    except InputError as error:
        found, refusal = None, str(error)
    read_unfinished_run(place.parent.parent.with_suffix(""))  # which must not fail, whatever there is
    left = (path.parent / PREDICTIONS_FILE).exists()
    shutil.rmtree(place)
    if found is None:
        assert str(path) in refusal, "a refusal names the file"
        assert left, "and leaves the predictions where they are"
        return None, 0
    return found.predictions, found.facts["kept"]


@pytest.mark.parametrize("kind", [bytewise, structural])
def test_a_damaged_plan_never_gives_other_predictions(
    cut_off: Path, whole: pl.DataFrame, tmp_path: Path, kind: Callable[[bytes], Iterator[bytes]]
) -> None:
    data = next(cut_off.glob(f"*/{PLAN_FILE}")).read_bytes()
    damaged = some(data, kind)
    place = tmp_path / "run.unfinished" / "set" / "model"
    outcomes = [resumed(cut_off, place, PLAN_FILE, one)[0] for one in damaged]
    taken = [found for found in outcomes if found is not None]
    assert all(found.equals(whole) for found in taken)
    assert len(outcomes) - len(taken) > len(damaged) // 2


def test_a_damaged_journal_never_gives_other_predictions(
    cut_off: Path, whole: pl.DataFrame, tmp_path: Path
) -> None:
    """A line that is damaged costs its own batch."""
    data = next(cut_off.glob(f"*/{PREDICTIONS_FILE}")).read_bytes()
    place = tmp_path / "run.unfinished" / "set" / "model"
    for one in some(data, bytewise):
        found, kept = resumed(cut_off, place, PREDICTIONS_FILE, one)
        assert found is not None
        assert found.equals(whole)
        assert kept < KEPT * 3


def test_the_journal_of_another_plan_is_not_taken(cut_off: Path, whole: pl.DataFrame, tmp_path: Path) -> None:
    """Lines are bound to their plan: with another plan's lines, nothing counts as predicted."""
    other = tmp_path / "other"
    inference.predict_pairs(model(version=2), PAIRS, other)
    data = next(other.glob(f"*/{PREDICTIONS_FILE}")).read_bytes()
    place = tmp_path / "run.unfinished" / "set" / "model"
    found, kept = resumed(cut_off, place, PREDICTIONS_FILE, data)
    assert found is not None
    assert found.equals(whole)
    assert kept == 0
