"""Run folders edited together with their manifest: each file is checked on reading, with its name and the key."""

from __future__ import annotations

import json
import random
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rightreasons as rr
from command_line import inside
from rightreasons.core import json_shapes, registry
from rightreasons.core.errors import InputError
from rightreasons.reports.build import build_report
from rightreasons.runs.collection import load_runs
from rightreasons.runs.folder import read_run, write_manifest

DEEP = json.loads("[" * 400 + "]" * 400)
CUE = {"cue": "never", "label": "neutral", "n": 5, "share": 0.5, "share_low": 0.1, "share_high": 0.9}
VALUES = (None, True, 0, -1, 2.5, 10**30, "", "x", "../../card", "\ud800", [], {}, [None], {"a": 1}, DEEP)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    registry.SETS["tiny"] = "tiny_set:Tiny"
    try:
        train = folder / "train.csv"
        rr.write_pairs(rr.generate("tiny", limit=8), train)
        rr.evaluate("rules:subsequence", sets="tiny", out=folder / "run", html=False, trained_on=train)
    finally:
        del registry.SETS["tiny"]
    return folder / "run"


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


def edit(run: Path, name: str, keys: tuple[Any, ...], value: object) -> None:
    """Change one value of a JSON file, or drop it, and write the manifest anew."""
    document = json.loads((run / name).read_text(encoding="utf-8"))
    place = document
    for key in keys[:-1]:
        place = place[key]
    if value is ...:
        del place[keys[-1]]
    else:
        place[keys[-1]] = value
    (run / name).write_text(json.dumps(document), encoding="utf-8")
    write_manifest(run)


@pytest.mark.parametrize(
    ("name", "keys", "value"),
    [
        ("card.json", ("sets",), []),
        ("card.json", ("models", 0, "name"), 3),
        ("card.json", ("models", 0, "slug"), "../../elsewhere"),
        ("card.json", ("models", 1, "name"), "rules:subsequence"),
        ("card.json", ("models", 0, "facts", "tiny", "pairs"), "many"),
        ("card.json", ("versions",), True),
        ("card.json", ("versions", "rightreasons"), ...),
        ("card.json", ("rule",), "best"),
        ("card.json", ("sets", 0, "rows"), 10**30),
        ("card.json", ("sets", 0, "rows"), 3),
        ("card.json", ("sets", 0, "sources"), [[]]),
        ("scores.json", ("rows",), []),
        ("scores.json", ("rows", 0, "n"), 0),
        ("scores.json", ("rows", 0, "correct"), 10**6),
        ("scores.json", ("rows", 0, "accuracy"), float("nan")),
        ("scores.json", ("rows", 0, "heuristic"), DEEP),
        ("scores.json", ("rows", 0, "by"), "colour"),
        ("scores.json", ("rows", 0, "model"), "nobody"),
        ("scores.json", ("notes", 0, "predicted"), {"entailment": -3}),
        ("leaks.json", ("leaks", 0, "examples", 0, "premise"), DEEP),
        ("leaks.json", ("leaks", 0, "table", 0, "share"), "all"),
        ("leaks.json", ("leaks", 0, "table", 0, "what"), "word"),
        ("leaks.json", ("leaks", 0, "table", 0, "what"), "premise"),
        ("training.json", ("training",), 3),
        ("training.json", ("rows",), -1),
        ("training.json", ("figures", 0, "value"), "high"),
        ("training.json", ("figures", 0, "n"), 0.5),
        ("training.json", ("figures", 0, "name"), ...),
        ("training.json", ("cues",), [{"cue": "never", "label": "yes"}]),
        ("training.json", ("cues",), [CUE | {"label": "yes"}]),
        ("training.json", ("cues",), [CUE | {"share": 1.5}]),
        ("training.json", ("skipped",), ["cues"]),
        ("training.json", ("summaries",), ...),
        ("card.json", ("sets", 0, "version"), 10**400),
        ("card.json", ("models", 0, "facts"), {"\ud800": {}}),
        ("scores.json", ("rows", 0, "heuristic"), 10**400),
        ("scores.json", ("rows", 0, "\ud800"), "x"),
        ("manifest.json", ("card.json",), 3),
    ],
    ids=str,
)
def test_an_edited_value_is_refused_with_file_and_key(
    run: Path, name: str, keys: tuple[Any, ...], value: object
) -> None:
    edit(run, name, keys, value)
    if name == "manifest.json":
        (run / name).write_text(json.dumps({"card.json": 3}), encoding="utf-8")
    code, out, said = inside("report", run)
    assert (code, out) == (2, ""), said
    assert name in said or "rows" in str(keys)
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    "text", ["", "[", "3", "null", "[" * 100_000, '{"a": 1, "a": 2}', '{"a": 1e999}', "\ufeff{}"]
)
def test_what_is_no_json_object_is_refused(run: Path, text: str) -> None:
    for name in ("card.json", "scores.json", "leaks.json", "training.json", "manifest.json"):
        before = (run / name).read_bytes()
        (run / name).write_text(text, encoding="utf-8")
        if name != "manifest.json":
            write_manifest(run)
        with pytest.raises(InputError, match=name):
            build_report(load_runs([run]))
        (run / name).write_bytes(before)
        write_manifest(run)


@pytest.mark.parametrize(
    "name", ["card.json", "scores.json", "leaks.json", "training.json", "sets/tiny.parquet.card.json"]
)
def test_any_value_in_any_place_is_read_or_refused(run: Path, name: str) -> None:
    chance = random.Random(name)  # noqa: S311 - the same cases every time
    whole = (run / name).read_text(encoding="utf-8")
    for _ in range(12):
        document = json.loads(whole)
        place, key = chance.choice(list(places(document)))
        place[key] = chance.choice(VALUES)
        (run / name).write_text(json.dumps(document), encoding="utf-8")
        write_manifest(run)
        with suppress(InputError):
            build_report(load_runs([run]))


def places(document: Any) -> list[tuple[Any, Any]]:
    """List where each value of a document is, all keys of a list's first items."""
    if isinstance(document, dict):
        return [one for key in document for one in ((document, key), *places(document[key]))]
    if isinstance(document, list):
        return [
            one for key in range(min(2, len(document))) for one in ((document, key), *places(document[key]))
        ]
    return []


@pytest.mark.parametrize("column", ["id", "label", "p_entailment", "premise"])
@pytest.mark.parametrize("name", ["sets/tiny.parquet", "predictions/tiny/rules-subsequence.parquet"])
def test_tables_with_other_columns_are_read_or_refused(run: Path, name: str, column: str) -> None:
    table = pl.read_parquet(run / name, glob=False)
    others = [
        pl.lit(None),
        pl.lit(1),
        pl.lit(-0.5),
        pl.lit(float("nan")),
        pl.lit(b"x"),
        pl.duration(days=1),
        pl.date(2020, 1, 1),
        pl.concat_list(pl.lit("a")),
        pl.struct(pl.lit("a")),
    ]
    for other in others:
        table.with_columns(other.alias(column)).write_parquet(run / name)
        write_manifest(run)
        with suppress(InputError):
            build_report(load_runs([run]))
    if column in table.columns:
        table.drop(column).write_parquet(run / name)
        write_manifest(run)
        with pytest.raises(InputError):
            build_report(load_runs([run]))


@pytest.mark.parametrize("column", ["premise", "hypothesis"])
def test_a_set_without_texts_is_refused(run: Path, column: str) -> None:
    table = pl.read_parquet(run / "sets/tiny.parquet", glob=False)
    table.with_columns(pl.lit(None).alias(column)).write_parquet(run / "sets/tiny.parquet")
    write_manifest(run)
    code, out, said = inside("report", run)
    assert (code, out) == (2, ""), said
    assert column in said


def test_a_row_without_an_interval_is_refused(run: Path) -> None:
    edit(run, "scores.json", ("rows", 0, "interval"), ...)
    code, out, said = inside("report", run)
    assert (code, out) == (2, ""), said
    assert "rows[0]" in said
    assert "interval" in said


def test_a_hundred_thousand_keys_are_checked_in_linear_time() -> None:
    """By counting each against all others it took minutes."""
    text = "{" + ",".join(f'"{number}":1' for number in range(100_000)) + ',"99999":2}'
    with pytest.raises(ValueError, match="99999"):
        json_shapes.parse_json(text, json_shapes.Values(json_shapes.ANY))


def test_a_run_of_this_version_fits_its_shape(made: Path) -> None:
    assert read_run(made).models[0] == "rules:subsequence"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
SHAPE = json_shapes.Fields(
    {"n": json_shapes.COUNT, "names": json_shapes.Items(json_shapes.TEXT)},
    {"more": json_shapes.Maybe(json_shapes.Values(json_shapes.SHARE))},
)


@given(st.dictionaries(st.sampled_from(["n", "names", "more", "other"]), json_values))
def test_a_shape_accepts_exactly_what_it_declares(value: dict[str, Any]) -> None:
    n, names, more = value.get("n"), value.get("names"), value.get("more")
    fits = (
        type(n) is int
        and 0 <= n <= 2**53
        and isinstance(names, list)
        and all(isinstance(name, str) for name in names)
        and (
            more is None
            or (
                isinstance(more, dict) and all(type(x) in (int, float) and 0 <= x <= 1 for x in more.values())
            )
        )
    )
    try:
        assert json_shapes.parse_json(json.dumps(value), SHAPE) == value
    except json_shapes.ShapeMismatchError:
        assert not fits
    else:
        assert fits
