"""Prediction files: good ones in many shapes, structured faults, and random bytes, all against the oracle."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fuzz.areas.prediction_files import (
    FAULTS,
    GOOD,
    make_gold,
    make_predictions,
    more_columns,
    other_words,
    spoil_json,
    unchanged,
    write_odd_parquet,
)
from fuzz.cases import Area, Case, Outcome, WrongResultError
from fuzz.mutations import mutate_bytes
from fuzz.oracle import Counts, Row, Verdict, judge_predictions
from fuzz.tables import KINDS, read_parquet, reshape_text, write_rows

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path


def make(chance: random.Random, shared: Path) -> Case:
    """Make a prediction file and a command that reads it."""
    del shared
    pairs = make_gold(chance)
    rows = make_predictions(chance, pairs)
    kind = chance.choice(KINDS)
    move = chance.random()
    if move < 0.25:
        edit = chance.choice(GOOD)
        edit(chance, rows)
        return _case(chance, pairs, rows, kind, f"good {kind}: {edit.__name__}", good=True)
    if move < 0.65:
        names = _spoil(chance, rows)
        return _case(chance, pairs, rows, kind, f"{kind}: {names}")
    if move < 0.72:
        content, about = write_odd_parquet(chance, rows)
        return _case(chance, pairs, content, "parquet", about)
    content = write_rows(rows, kind)
    if move < 0.82 and kind != "parquet":
        about, content = reshape_text(chance, content)
        return _case(chance, pairs, content, kind, f"{kind}: {about}")
    if kind == "jsonl" and chance.random() < 0.4:
        return _case(chance, pairs, spoil_json(chance, content), kind, f"{kind}: odd objects")
    return _case(chance, pairs, mutate_bytes(chance, content), kind, f"{kind}: damaged bytes")


def _spoil(chance: random.Random, rows: list[Row]) -> str:
    """Apply a good change now and then, and a fault."""
    fault = chance.choice(FAULTS)
    before = chance.choice((unchanged, unchanged, other_words, more_columns))
    if fault.__name__ in ("spoil_label", "spoil_id", "repeat_row", "drop_row", "swap_ids"):
        before(chance, rows)
    fault(chance, rows)
    return f"{before.__name__}, {fault.__name__}"


def _case(
    chance: random.Random,
    pairs: list[Row],
    given: bytes | list[Row],
    kind: str,
    about: str,
    *,
    good: bool = False,
) -> Case:
    """Choose the command, and hold its result against the oracle's."""
    content = given if isinstance(given, bytes) else write_rows(given, kind)
    rule = chance.choice(("auto", "auto", "argmax", "sum"))
    verdict = _verdict(pairs, given, content, kind, rule)
    set_kind = chance.choice(KINDS)
    files = {f"set.{set_kind}": write_rows(pairs, set_kind), f"answers.{kind}": content}
    words, check = _command(chance, f"set.{set_kind}", f"answers.{kind}", rule, verdict)
    certain = verdict.counts is not None
    return Case(
        f"{about} ({words[0]}, {rule})",
        words,
        files=files,
        check=check,
        must_accept=good and certain and words[0] == "score",
        must_refuse=verdict.invalid,
    )


def _verdict(pairs: list[Row], given: bytes | list[Row], content: bytes, kind: str, rule: str) -> Verdict:
    """Ask the oracle; of parquet, what another library reads."""
    gold = {pair["id"]: pair["label"] for pair in pairs}
    if kind == "parquet":
        rows = read_parquet(content)
        if rows is None:
            return Verdict()
        lowered = [{name.strip().casefold(): value for name, value in row.items()} for row in rows]
        text = all(
            isinstance(value, str | int | float | dict | None) for row in lowered for value in row.values()
        )
        return judge_predictions(gold, lowered, kind=kind, rule=rule) if text else Verdict()
    del given
    return judge_predictions(gold, content, kind=kind, rule=rule)


def _command(
    chance: random.Random, pairs: str, answers: str, rule: str, verdict: Verdict
) -> tuple[tuple[str, ...], Callable[[Outcome], bool]]:
    """Choose a command that reads a prediction file, and how its result is found."""
    counts = verdict.counts
    move = chance.random()
    if move < 0.75:
        return ("score", pairs, answers, "--json", "--rule", rule), lambda outcome: _check_score(
            outcome, counts
        )
    if move < 0.85:
        words = ("score", pairs, answers, "--csv", "--by", "subcase", "--rule", rule, "--out", "scores.csv")
        return words, lambda _: False
    out = ("--no-baselines", "--no-html", "--rule", rule, "--out", "run")
    return (
        ("evaluate", f"file:{answers}", "--sets", pairs, *out),
        lambda _: _check_run(counts),
    )


def _check_score(outcome: Outcome, counts: Counts | None) -> bool:
    return compare(json.loads(outcome.out)["rows"], counts)


def _check_run(counts: Counts | None) -> bool:
    with open("run/scores.json", encoding="utf-8") as file:  # noqa: PTH123 - in the working folder
        rows = json.load(file)["rows"]
    return compare([row for row in rows if row["by"] in ("", None) or row.get("subcase") is None], counts)


def compare(rows: list[Row], counts: Counts | None) -> bool:
    """Hold rows of scores against the oracle's counts, exactly."""
    if counts is None:
        return False
    found = {row["gold"]: (row["n"], row["correct"]) for row in rows}
    if found != counts:
        raise WrongResultError(f"the scores are {found}, the oracle's {counts}")
    wrong = [row for row in rows if row["accuracy"] != row["correct"] / row["n"]]
    if wrong:
        raise WrongResultError(f"the accuracy is not correct / n: {wrong[0]}")
    return True


AREA = Area("predictions", 1500, make)
