"""Files of pairs and corpora in every format that is read, damaged, through every command that reads them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fuzz.areas.pair_faults import spoil_rows, write_odd_parquet
from fuzz.areas.pair_shapes import SHAPES
from fuzz.areas.prediction_files import make_gold
from fuzz.areas.predictions import compare
from fuzz.cases import Area, Case, Outcome, WrongResultError
from fuzz.mutations import mutate_bytes
from fuzz.oracle import MEANINGS as LABELS
from fuzz.oracle import THREE, InvalidError, Row, UndecidedError, read_rows, score
from fuzz.tables import reshape_text, write_rows

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

# fmt: off
CORPUS_SETS = (
    "stress/negation", "stress/word-overlap", "stress/length-mismatch", "stress/spelling", "stress/source",
    "stress/antonymy", "random-pair", "stress/numerical", "nps",
)
# fmt: on
NO_GOLD = ("", "-", "-1")
FORMATS = ("parquet", "jsonl", "csv", "tsv", "hans", "hans-jsonl", "hf", "hf-jsonl")


def load_language() -> None:
    """Load what sets made from a corpus need: WordNet and the tagger."""
    from rightreasons import generate

    for name in CORPUS_SETS:
        generate(name, limit=3)


def make(chance: random.Random, shared: Path) -> Case:
    """Make a file of pairs and a command that reads it."""
    del shared
    pairs = make_gold(chance)
    move = chance.random()
    if move < 0.1:
        content, about = write_odd_parquet(chance, pairs)
        return _case(chance, pairs, content, "parquet", about)
    shape = chance.choice(SHAPES)
    rows, kind = shape(chance, pairs)
    about = f"{kind} of {shape.__name__.strip('_')}"
    if move < 0.2:
        return _case(chance, pairs, write_rows(rows, kind), kind, f"good {about}")
    if move < 0.65:
        what = spoil_rows(chance, rows)
        return _case(
            chance, pairs, write_rows(rows, kind, columns=None if rows else ["id"]), kind, f"{about}: {what}"
        )
    content = write_rows(rows, kind)
    if move < 0.78 and kind != "parquet":
        way, content = reshape_text(chance, content)
        return _case(chance, pairs, content, kind, f"{about}: {way}")
    return _case(chance, pairs, mutate_bytes(chance, content), kind, f"{about}: damaged bytes")


def _case(chance: random.Random, pairs: list[Row], content: bytes, kind: str, about: str) -> Case:
    """Choose a command for the file."""
    name = f"pairs.{'txt' if kind == 'tsv' and chance.random() < 0.5 else kind}"
    answers = write_rows([{"id": pair["id"], "label": chance.choice(THREE)} for pair in pairs], "csv")
    commands: tuple[tuple[str, ...], ...] = (
        ("convert", name, "out.jsonl"),
        ("convert", name, "out.jsonl"),
        ("score", name, "answers.csv", "--json"),
        ("convert", name, f"out.{chance.choice(('parquet', 'csv', 'tsv', 'txt'))}"),
        ("convert", name, "out.x", "--to", chance.choice(FORMATS)),
        ("convert", name, "out.jsonl", "--from", chance.choice(FORMATS)),
        ("score", name, "answers.csv", "--json"),
        (
            "predict",
            chance.choice(("constant", "random", "rules:subsequence", "rules:constituent")),
            name,
            "--out",
            "out.csv",
        ),
        (
            "generate",
            chance.choice(CORPUS_SETS),
            "--corpus",
            name,
            "--out",
            "out.parquet",
            "-o",
            "short=allow",
        ),
        ("generate", chance.choice(CORPUS_SETS), "--corpus", name, "--limit", "3", "--out", "out.jsonl"),
        ("leaks", name, "good.jsonl", "--json"),
        ("leaks", "good.jsonl", name, "--no-near"),
        ("export", name, "--to", chance.choice(("hf", "lm-eval", "inspect")), "--out", "out"),
        ("evaluate", "constant", "--sets", name, "--no-html", "--out", "run"),
    )
    words = chance.choice(commands)
    check = _checks(words, content, kind, answers)
    files = {name: content, "answers.csv": answers, "good.jsonl": write_rows(pairs, "jsonl")}
    return Case(f"{about} ({words[0]})", words, files=files, check=check)


def _checks(
    words: tuple[str, ...], content: bytes, kind: str, answers: bytes
) -> Callable[[Outcome], bool] | None:
    if kind == "parquet":
        return None
    if words[0] == "score":
        return lambda outcome: _check_score(outcome, content, kind, answers)
    if words[:1] == ("convert",) and words[-1] == "out.jsonl":
        return lambda _: _check_converted(content, kind)
    return None


def _gold(content: bytes, kind: str) -> dict[str, Row] | None:
    """Read plain pairs (our own columns) independently, by id; None where the rules don't settle it."""
    try:
        rows = read_rows(content, kind)
        if not rows or not all({"id", "premise", "hypothesis", "label"} <= row.keys() for row in rows):
            return None
        if any("parse" in name or name in ("pairid", "gold_label") for row in rows for name in row):
            return None
        found: dict[str, Row] = {}
        for row in rows:
            if not all(isinstance(row[name], str) for name in ("id", "premise", "hypothesis")):
                return None
            _add_pair(found, row)
    except UndecidedError:
        return None
    except InvalidError as error:
        raise WrongResultError(f"accepted although {error}") from None
    return found


def _add_pair(found: dict[str, Row], row: Row) -> None:
    """Add a pair with its label by name; one without a gold label is left out."""
    word = row["label"]
    if word is None or (isinstance(word, str) and word.strip() in NO_GOLD):
        return
    label = LABELS.get("".join(str(word).casefold().replace("-", "").replace("_", "").split()))
    if label is None:
        raise InvalidError(f"{word!r} is not a label")
    if row["id"] in found:
        raise InvalidError(f"the id {row['id']!r} is there twice")
    found[row["id"]] = {**row, "label": label}


def _check_score(outcome: Outcome, content: bytes, kind: str, answers: bytes) -> bool:
    gold = _gold(content, kind)
    if gold is None:
        return False
    predicted = {row["id"]: row["label"] for row in read_rows(answers, "csv")}
    labels = {name: row["label"] for name, row in gold.items()}
    if labels.keys() != predicted.keys():
        raise WrongResultError("accepted although the ids are not those of the predictions")
    return compare(json.loads(outcome.out)["rows"], score(labels, predicted))


def _check_converted(content: bytes, kind: str) -> bool:
    """Hold ids, texts and labels of a converted file against what an independent reader finds."""
    gold = _gold(content, kind)
    if gold is None:
        return False
    with open("out.jsonl", encoding="utf-8") as file:  # noqa: PTH123 - in the working folder
        found = [json.loads(line) for line in file]
    names = ("id", "premise", "hypothesis", "label")
    ours = [tuple(row[name] for name in names) for row in found]
    theirs = [tuple(row[name] for name in names) for row in gold.values()]
    if ours != theirs:
        different = next(
            (pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]), (len(ours), len(theirs))
        )
        raise WrongResultError(f"the pairs differ: {different}")
    return True


AREA = Area("pairs", 1000, make, load=load_language)
