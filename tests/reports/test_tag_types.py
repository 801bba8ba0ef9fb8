"""Tags of a user's file may be of any type: scores, reports and comparisons take them all."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core.labels import THREE_LABELS, TWO_LABELS
from rightreasons.reports.build import build_report, write_markdown, write_tables
from rightreasons.reports.exhibits import accuracy_drops, seeds
from rightreasons.runs.collection import load_runs

if TYPE_CHECKING:
    from pathlib import Path

N = 60
TAGS = ("heuristic", "subcase", "template", "trigger", "genre", "group", "premise_source")
VALUES = {
    "Int64": pl.Series([0, 1, 2]),
    "UInt8": pl.Series([0, 1, 2], dtype=pl.UInt8),
    "Float64": pl.Series([0.5, 1.5, -2.0]),
    "with NaN": pl.Series([float("nan"), float("inf"), 1.0]),
    "Boolean": pl.Series([True, False, None]),
    "Decimal": pl.Series([Decimal("0.5"), Decimal("-1.5"), None]),
    "Datetime": pl.Series([datetime(2020, 1, day, tzinfo=UTC) for day in (1, 2, 3)]),
    "Date": pl.Series([date(2020, 1, day) for day in (1, 2, 3)]),
    "Time": pl.Series([time(1), time(2), time(3)]),
    "Duration": pl.Series([timedelta(1), timedelta(2), None]),
    "Categorical": pl.Series(["lexical_overlap", "b", "c"], dtype=pl.Categorical),
    "Enum": pl.Series(["lexical_overlap", "b", "c"], dtype=pl.Enum(["lexical_overlap", "b", "c"])),
    "Null": pl.Series([None, None, None]),
}


@pytest.mark.parametrize("kind", VALUES)
def test_a_file_with_tags_of_each_type_is_evaluated_reported_and_compared(tmp_path: Path, kind: str) -> None:
    golds = TWO_LABELS if kind in ("Int64", "Date", "Boolean", "Null") else THREE_LABELS
    tag = VALUES[kind][[place % 3 for place in range(N)]]
    pairs = pl.DataFrame(
        {
            "id": [f"{place}" for place in range(N)],
            "premise": [f"Man {place} ran." for place in range(N)],
            "hypothesis": [f"A man {place} ran." for place in range(N)],
            "label": [golds[place // 3 % len(golds)] for place in range(N)],
        }
    ).with_columns(tag.alias(name) for name in TAGS)
    pairs.write_parquet(tmp_path / "set.parquet")
    models = []
    for model, step in (("a", 5), ("b", 7)):
        said = pl.Series([golds[(place // 3 + (place % step == 0)) % len(golds)] for place in range(N)])
        pairs.select("id", label=said).write_csv(tmp_path / f"{model}.csv")
        models.append(f"file:{tmp_path / model}.csv")
    run = tmp_path / "run"
    rr.evaluate(models, sets=str(tmp_path / "set.parquet"), out=run, by="template,genre")
    made = build_report(load_runs([run]), {"m": "file:*"})
    write_markdown(made, tmp_path / "report.md")
    write_tables(made, tmp_path / "tables", "csv")
    write_tables(made, tmp_path / "latex", "latex")
    # What is the name of a heuristic of HANS is one as any kind of text.
    assert bool(seeds.note_seed_spread(pairs)) == (kind in ("Categorical", "Enum"))
    for by in ("", "template", "heuristic,subcase"):
        found = rr.compare(run, by=by)
        assert found.to_csv()
        rows = json.loads(found.to_json(), parse_constant=pytest.fail)["rows"]  # NaN is no JSON
        assert len(rows) == found.rows.height
    rr.leaderboard([run], out=tmp_path / "board")
    json.loads(
        rr.score(
            pairs, pl.read_csv(tmp_path / "a.csv", schema_overrides={"id": pl.String}), by=TAGS[0]
        ).to_json()
    )


def test_sources_are_found_by_numbers_too(tmp_path: Path) -> None:
    """Ids are read as texts, and a `source_id` of numbers is the same one."""
    source = pl.DataFrame(
        {
            "id": list(range(N)),
            "premise": [f"Man {place} saw a dog." for place in range(N)],
            "hypothesis": [f"Dog {place} slept." for place in range(N)],
            "label": list(THREE_LABELS) * (N // 3),
        }
    )
    changed = source.with_columns(id=pl.col("id") + 1000, source_id="id", source_label="label")
    for name, pairs in (("source", source), ("changed", changed)):
        pairs.write_parquet(tmp_path / f"{name}.parquet")
    both = pl.concat([source, changed], how="diagonal")
    both.select("id", label=pl.lit("neutral")).write_csv(tmp_path / "m.csv")
    sets = [str(tmp_path / f"{name}.parquet") for name in ("source", "changed")]
    rr.evaluate(
        f"file:{tmp_path / 'm.csv'}", sets=sets, out=tmp_path / "run", baselines=False, others="leave"
    )
    found = accuracy_drops.make_accuracy_drop_tables(load_runs([tmp_path / "run"]))[0]
    assert found.frame["n"].to_list() == [N]
