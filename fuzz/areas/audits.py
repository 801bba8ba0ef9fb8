"""Damaged corpora through `audit`: nothing but unreadable files is refused, and counts are those of a plain loop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz.areas.pair_faults import spoil_rows, write_odd_parquet
from fuzz.areas.pair_shapes import SHAPES
from fuzz.areas.pairs import NO_GOLD
from fuzz.areas.prediction_files import WORDS, make_gold
from fuzz.cases import Area, Case, WrongResultError
from fuzz.mutations import mutate_bytes, odd_text
from fuzz.oracle import THREE, Row
from fuzz.tables import reshape_text, write_rows

if TYPE_CHECKING:
    import random

AUDITS = (
    "heuristics",
    "partial-input",
    "cues",
    "shape",
    "antonyms",
    "frames",
    "duplicates",
    "agreement",
    "corruption",
)
OPTIONS = (
    "bins=2",
    "bins=1000",
    "folds=2",
    "folds=1000",
    "min_count=1",
    "top=0",
    "rows=0",
    "examples=0",
    "near=0",
    "near=3",
    "fdr=1",
    "side=premise",
    "rule=published",
    "rule=nested",
    "hard=true",
    "size=3",
    "seed=7",
)
FULL_STOPS = (".", "?", "!")


def load_audits() -> None:
    """Load what the audits need: WordNet, the tagger and the linear algebra."""
    from rightreasons import audit

    options: dict[str, Any] = {"model": "constant", "corruption.size": 3}
    audit("pocket", **options)


def make(chance: random.Random, shared: Path) -> Case:
    """Make a corpus, damaged or not, and a command that audits it."""
    del shared
    pairs = make_gold(chance)
    move = chance.random()
    if move < 0.4:
        return _make_counted_case(chance, pairs)
    if move < 0.5:
        content, about = write_odd_parquet(chance, pairs)
        return _make_case(chance, content, "parquet", about)
    shape = chance.choice(SHAPES)
    rows, kind = shape(chance, pairs)
    about = f"{kind} of {shape.__name__.strip('_')}"
    if move < 0.8:
        about = f"{about}: {spoil_rows(chance, rows)}"
    content = write_rows(rows, kind, columns=None if rows else ["id"])
    if move >= 0.9:
        content, about = mutate_bytes(chance, content), f"{about}: damaged bytes"
    elif move >= 0.8 and kind != "parquet":
        way, content = reshape_text(chance, content)
        about = f"{about}: {way}"
    return _make_case(chance, content, kind, about)


def _make_case(chance: random.Random, content: bytes, kind: str, about: str) -> Case:
    name = f"corpus.{kind}"
    words = ["audit", name, "--out", "out"]
    if chance.random() < 0.5:
        words += ["--audits", ",".join(chance.sample(AUDITS, chance.randint(1, 3)))]
    if chance.random() < 0.3 or "corruption" in words[-1]:
        words += ["--model", chance.choice(("constant", "random", "rules:lexical-overlap"))]
    if chance.random() < 0.3:
        words += ["-o", chance.choice(OPTIONS)]
    if chance.random() < 0.2:
        words += ["--against", chance.choice((name, "good.jsonl"))]
    if chance.random() < 0.2:
        words.insert(2, "good.jsonl")
    if chance.random() < 0.2:
        words += [chance.choice(("--fail-over", "--fail-under")), "duplicates.exact=0.3"]
    good = write_rows(make_gold(chance), "jsonl")
    return Case(f"{about} (audit)", tuple(words), files={name: content, "good.jsonl": good}, gated=True)


def _make_counted_case(chance: random.Random, pairs: list[Row]) -> Case:
    """Damage a corpus so that it is still to be read, and count what is left in a plain loop."""
    rows = [_damage_pair(chance, pair) for pair in pairs]
    kept = [row for row in rows if all((row[text] or "").strip() for text in ("premise", "hypothesis"))]
    words = ("audit", "corpus.jsonl", "--out", "out", "--audits", "heuristics,duplicates")
    content = write_rows([{name: row[name] for name in row if name != "gold"} for row in rows], "jsonl")
    labels = {row["gold"] for row in kept} - {None}
    return Case(
        "damaged pairs (audit, counted)",
        words,
        files={"corpus.jsonl": content},
        check=lambda _: _check_counts(kept),
        must_accept=len(labels) > 1,
    )


def _damage_pair(chance: random.Random, pair: Row) -> Row:
    """Repeat words of the premise, or damage a text, the label, the id or the parse; `gold` is the label."""
    label = chance.choice(THREE)
    row = {**pair, "label": chance.choice(WORDS[label]), "gold": label, "premise_binary_parse": None}
    move = chance.random()
    if move < 0.3:
        words = pair["premise"].split()
        start = chance.randrange(len(words))
        row["hypothesis"] = " ".join(words[start : start + chance.randint(1, 4)])
    elif move < 0.4:
        row[chance.choice(("premise", "hypothesis"))] = chance.choice((None, "", " ", "\t"))
    elif move < 0.5:
        row |= {"label": chance.choice((None, *NO_GOLD)), "gold": None}
    elif move < 0.6:
        row["hypothesis"] = f"{odd_text(chance)} a" if chance.random() < 0.5 else pair["premise"]
    elif move < 0.7:
        row["id"] = "same"
    elif move < 0.8:
        row["premise_binary_parse"] = chance.choice(
            ("(", ")", "( a", "a )", "()", "a b", "(((((", "( a ( b )")
        )
    return row


def _check_counts(kept: list[Row]) -> bool:
    """Compare pairs and labels, the published rule of lexical overlap, and exact duplicates with those of a loop."""
    corpus = json.loads(Path("out", "audit.json").read_text(encoding="utf-8"))["corpora"][0]
    golds = [row["gold"] for row in kept]
    expected = {label: golds.count(label) for label in THREE if label in golds}
    if (corpus["rows"], corpus["labels"]) != (len(kept), expected):
        raise WrongResultError(f"the corpus is {corpus['labels']}, the loop's {expected} of {len(kept)}")
    contradicting = sum(_has_overlap(row) for row in kept if row["gold"] not in (None, "entailment"))
    labelled = len(golds) - golds.count(None)
    texts = [(row["premise"], row["hypothesis"]) for row in kept]
    repeated = sum(texts.count(text) > 1 for text in texts)
    for address, hits, n in (
        ("heuristics.lexical_overlap.contradicting.published", contradicting, labelled),
        ("duplicates.exact", repeated, len(kept)),
    ):
        figure = corpus["figures"].get(address)
        if figure and (figure["value"], figure["n"]) != (hits / n, n):
            raise WrongResultError(f"{address} is {figure}, the loop's {hits} of {n}")
    return True


def _has_overlap(row: Row) -> bool:
    """Tell whether every token of the hypothesis is in the premise, by the literal rule of the HANS scripts."""
    premise, hypothesis = (
        [word for word in row[text].lower().split() if word not in FULL_STOPS]
        for text in ("premise", "hypothesis")
    )
    return set(hypothesis) <= set(premise)


AREA = Area("audits", 300, make, load=load_audits)
