"""Samples that were read pair by pair: what was judged is what the sets still give, and few of it is wrong."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core import registry

FOLDER = Path(__file__).parent / "judged"
FILES = sorted(FOLDER.glob("*.jsonl"))
PARSED = "nps-corpus"  # reads all parsed training pairs
SIZE, SEED = 60, 1
# Judged before all of these drew the same source pairs: the pairs are as they were, a sample is another.
SAMPLED_OTHERWISE = {"stress/word-overlap", "stress/negation", "stress/length-mismatch", "stress/spelling"}
VERDICTS = {"right", "wrong label", "broken"}
# The labels of HANS are proved by rules and by the released files; those of the corpus are the corpus's own.
NOT_JUDGED = {"hans", "hans-released", "stress/source"}


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def set_of(path: Path) -> str:
    stem = path.stem.removesuffix("-corpus")
    return f"stress/{stem.removeprefix('stress-')}" if stem.startswith("stress-") else stem


def found(row: dict[str, Any], data: Path) -> dict[str, Any]:
    """Give the options of a judged sample, with the files where they are here."""
    given = dict(row["options"])
    if row["corpus"] is not None:
        given["corpus"] = row["corpus"]
    names = {key: given[key] for key in ("corpus", "hypotheses") if given.get(key)}
    return given | {
        key: [n if n == "pocket" else str(data / n) for n in value] for key, value in names.items()
    }


def digest_of(premise: str, hypothesis: str) -> str:
    return hashlib.sha256(f"{premise}\t{hypothesis}".encode()).hexdigest()[:16]


def test_every_set_was_judged() -> None:
    assert {set_of(path) for path in FILES} == set(registry.list_set_names()) - NOT_JUDGED


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_fewer_than_one_in_twenty_is_wrong(path: Path) -> None:
    rows = rows_of(path)
    assert len(rows) >= 50
    assert {row["verdict"] for row in rows} <= VERDICTS
    assert len({row["id"] for row in rows}) == len(rows)
    wrong = [row for row in rows if row["verdict"] != "right"]
    assert len(wrong) / len(rows) < 0.05
    assert all(row["remark"] for row in rows)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.slow] if path.stem in {PARSED, "stress-antonymy"} else [])
        for path in FILES
    ],
    ids=lambda path: path.stem,
)
def test_what_was_judged_is_the_sample_that_the_set_gives(path: Path, request: pytest.FixtureRequest) -> None:
    rows = rows_of(path)
    first = rows[0]
    needs_data = any(name != "pocket" for name in first["corpus"] or ())
    data = request.getfixturevalue("shared_data") if needs_data else FOLDER
    otherwise = set_of(path) in SAMPLED_OTHERWISE
    pairs = rr.generate(
        set_of(path), limit=None if otherwise else SIZE, seed=SEED, **found(first, data)
    ).pairs
    if otherwise:
        pairs = pairs.filter(pl.col("id").is_in([row["id"] for row in rows]))
    if "edited" in pairs.columns:
        pairs = pairs.filter(pl.col("edited"))
    made = {
        one: (digest_of(premise, hypothesis), label)
        for one, premise, hypothesis, label in pairs.select(
            "id", "premise", "hypothesis", "label"
        ).iter_rows()
    }
    assert made == {row["id"]: (row["digest"], row["label"]) for row in rows}
