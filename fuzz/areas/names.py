"""File and folder names with glob characters and other odd ones: the file that was named is the file that is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.areas.prediction_files import make_gold, make_predictions
from fuzz.areas.predictions import compare
from fuzz.cases import Area, Case, Outcome, WrongResultError
from fuzz.oracle import Counts, Row, score
from fuzz.tables import KINDS, write_rows

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

# A name, and names that it would match if it were a pattern: these files lie beside it, with other content.
# fmt: off
NAMES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ans[1]", ("ans1",)), ("a[bc]d", ("abd", "acd")), ("a*", ("ab", "abc")), ("*", ("x",)), ("**", ("x",)),
    ("a?c", ("abc", "a*c")), ("[!a]", ("b",)), ("{a,b}", ("a", "b")), ("a{1,2}", ("a1", "a2")), ("[", ()),
    ("]a[", ()), ("a b", ("a",)), ("a%20b", ("a b",)), ("é", ("e\u0301",)), ("a\\b", ("b",)), ("$HOME", ()),
    ("~", ()), ("a'b", ()), ('a"b', ()), ("a;b", ()), ("a=b", ("b",)), ("a,b", ("a", "b")), ("a:b", ("b",)),
    ("a@b", ("a",)), ("#a", ()), ("a\nb", ()), ("😀", ()), ("\u202eb", ()), ("-x", ()), (".hidden", ("hidden",)),
    ("a" * 120, ()), ("ans[0-9]", ("ans5",)), ("name=a", ("a",)), ("a&b", ()), ("<a>", ()), ("file", ()),
)
# fmt: on


def make(chance: random.Random, shared: Path) -> Case:
    """Put a set and predictions under odd names, with decoys beside them."""
    del shared
    pairs = make_gold(chance)
    rows = make_predictions(chance, pairs)
    gold = {pair["id"]: pair["label"] for pair in pairs}
    counts = score(gold, {row["id"]: row["label"] for row in rows})
    kind, set_kind = (
        chance.choice((*KINDS, "parquet", "parquet")),
        chance.choice((*KINDS, "parquet", "parquet")),
    )
    folder, name, set_name = _folder(chance), chance.choice(NAMES), chance.choice(NAMES)
    answers, pairs_file = f"{folder}{name[0]}.{kind}", f"{folder}s{set_name[0]}.{set_kind}"
    files = {answers: write_rows(rows, kind), pairs_file: write_rows(pairs, set_kind)}
    others = [{**row, "label": _other(row["label"])} for row in rows]
    for decoy in name[1]:
        files.setdefault(f"{folder}{decoy}.{kind}", write_rows(others, kind))
    for decoy in set_name[1]:
        wrong = [{**pair, "label": _other(pair["label"])} for pair in pairs]
        files.setdefault(f"{folder}s{decoy}.{set_kind}", write_rows(wrong, set_kind))
    if folder:
        files |= {f"{decoy}/{name[0]}.{kind}": write_rows(others, kind) for decoy in _decoys(folder)}
    words, check = _command(chance, pairs_file, answers, counts, rows)
    return Case(f"{answers!r} and {pairs_file!r} ({words[0]})", words, files=files, check=check)


def _folder(chance: random.Random) -> str:
    name = chance.choice(("", "", *(name for name, _ in NAMES if name != "file")))
    return f"{name}/" if name else ""


def _decoys(folder: str) -> tuple[str, ...]:
    return next(decoys for name, decoys in NAMES if f"{name}/" == folder)


def _other(label: str) -> str:
    return {"entailment": "neutral", "neutral": "contradiction"}.get(label, "entailment")


def _command(
    chance: random.Random, pairs: str, answers: str, counts: Counts, rows: list[Row]
) -> tuple[tuple[str, ...], Callable[[Outcome], bool]]:
    """Choose a command; names that begin with a hyphen are named from here on."""
    pairs, answers = (f"./{name}" if name.startswith("-") else name for name in (pairs, answers))
    move = chance.random()
    if move < 0.5:
        return ("score", pairs, answers, "--json"), lambda outcome: compare(
            json.loads(outcome.out)["rows"], counts
        )
    if move < 0.7:
        out = "run" if chance.random() < 0.5 else f"r{chance.choice(NAMES)[0]}"
        words = ("evaluate", f"file:{answers}", "--sets", pairs, "--no-baselines", "--out", out)
        return words, lambda _: _check_run(out, counts)
    if move < 0.85:
        out = f"o{chance.choice(NAMES)[0]}.jsonl"
        return ("predict", f"file:{answers}", pairs, "--out", out), lambda _: _check_predictions(out, rows)
    out = f"o{chance.choice(NAMES)[0]}.{chance.choice(KINDS)}"
    return ("convert", pairs, out), lambda _: _check_written(out)


def _check_run(out: str, counts: Counts) -> bool:
    rows = json.loads(Path(out, "scores.json").read_text(encoding="utf-8"))["rows"]
    return compare([row for row in rows if row.get("subcase") is None], counts)


def _check_predictions(out: str, rows: list[Row]) -> bool:
    found = [json.loads(line) for line in Path(out).read_text(encoding="utf-8").splitlines()]
    if {row["id"]: row["label"] for row in found} != {row["id"]: row["label"] for row in rows}:
        raise WrongResultError("the predictions are those of another file")
    return True


def _check_written(out: str) -> bool:
    if not Path(out).is_file():
        raise WrongResultError(f"{out!r} was not written")
    return True


AREA = Area("names", 350, make)
