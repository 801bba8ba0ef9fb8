"""The layout of the original evaluator, and the published tables from the released predictions."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rightreasons.core.errors import InputError
from rightreasons.core.formatting import round_half_up
from rightreasons.io.predictions import read_predictions
from rightreasons.models.baselines import Rule
from rightreasons.scoring.accuracy import render_hans_layout, score_predictions

if TYPE_CHECKING:
    from pathlib import Path

FILES = {"BERT": "bert_preds.txt", "DA": "decomp_attn_heur_preds.txt"}
PARTS = {"Lexical": "lexical_overlap", "Subseq.": "subsequence", "Const.": "constituent"}
# The paper prints 1.00 here; the released predictions give 0.93.
KNOWN = ("ce_embedded_under_since", "BERT")
NAMES = {
    "pairID": "id",
    "gold_label": "label",
    "sentence1": "premise",
    "sentence2": "hypothesis",
    "sentence1_parse": "premise_parse",
}


@pytest.fixture(scope="module")
def pairs(shared_data: Path) -> pl.DataFrame:
    path = shared_data / "hans" / "heuristics_evaluation_set.txt"
    return pl.read_csv(path, separator="\t", quote_char=None, infer_schema=False).rename(NAMES)


@pytest.fixture(scope="module")
def published(shared_data: Path) -> dict[tuple[str, str], str]:
    """Read the printed cells: (subcase, or heuristic and label; model) -> the paper's figure."""
    text = (shared_data.parent / "spec" / "hans-verification.md").read_text()
    cells = {}
    for line in text.splitlines():
        name, *values = [cell.strip() for cell in line.strip("|").split("|")]
        if len(values) == 4 and "(" in values[0]:
            printed = [re.search(r"\((.*)\)", value)[1] for value in values]
            cells |= {
                (name, model): shown
                for model, shown in zip(("DA", "ESIM", "SPINN", "BERT"), printed, strict=True)
            }
    assert len(cells) == 144
    return cells


def rounded(rows: pl.DataFrame) -> dict[tuple[str, str], str]:
    """Round every cell to two decimals: (tag's value, true label) -> figure."""
    return {(tag, gold): round_half_up(Fraction(right, n), 2) for tag, gold, n, right, *_ in rows.iter_rows()}


@pytest.mark.parametrize("model", FILES)
def test_tables_3_9_and_10_of_the_paper(
    shared_data: Path, pairs: pl.DataFrame, published: dict[tuple[str, str], str], model: str
) -> None:
    answers = read_predictions(shared_data / "hans" / FILES[model])
    heuristic = rounded(score_predictions(pairs, answers, by=["heuristic"]).rows)
    made = {
        f"{part}, {gold}": heuristic[tag, gold]
        for part, tag in PARTS.items()
        for gold in ("entailment", "non-entailment")
    }
    subcase = rounded(score_predictions(pairs, answers, by=["subcase"]).rows)
    made |= {tag: shown for (tag, gold), shown in subcase.items() if gold == "all"}
    wrong = {name for name, shown in made.items() if shown != published[name, model]}
    assert len(made) == 36
    assert wrong == ({KNOWN[0]} if model == KNOWN[1] else set())


def original(gold_path: Path, answers_path: Path) -> str:
    """Do what the original evaluator does, in a plain loop over lines."""
    guesses = dict(line.strip().split(",") for line in answers_path.read_text().splitlines()[1:])
    cells: dict[str, dict[str, list[int]]] = {"E": {}, "N": {}, "subcase": {}, "template": {}}
    for line in gold_path.read_text().splitlines()[1:]:
        label, *_, pair, heuristic, subcase, template = line.split("\t")
        right = ("entailment" if guesses[pair] == "entailment" else "non-entailment") == label
        part = "E" if label == "entailment" else "N"
        for block, name in ((part, heuristic), ("subcase", subcase), ("template", template)):
            cells[block].setdefault(name, []).append(right)
    titles = ("Heuristic entailed", "Heuristic non-entailed", "Subcase", "Template")
    blocks = []
    for title, block in zip(titles, cells.values(), strict=True):
        lines = [f"{name}: {sum(hits) / len(hits)}" for name, hits in block.items()]
        blocks.append("\n".join([f"{title} results:", *lines, ""]))
    return "\n".join(blocks)


@pytest.mark.parametrize("model", FILES)
def test_the_four_blocks_are_those_of_the_original(
    shared_data: Path, pairs: pl.DataFrame, model: str
) -> None:
    answers_path = shared_data / "hans" / FILES[model]
    made = render_hans_layout(pairs, read_predictions(answers_path))
    assert made == original(shared_data / "hans" / "heuristics_evaluation_set.txt", answers_path)
    assert made.count("\n") == 4 + 3 + 3 + 30 + 60 + 3


def test_the_blocks_on_a_small_set() -> None:
    pairs = pl.DataFrame(
        {
            "id": ["a", "b", "c", "d"],
            "label": ["non-entailment", "entailment", "entailment", "entailment"],
            "heuristic": ["one", "two", "one", "one"],
            "subcase": ["x", "y", "y", "x"],
            "template": ["t2", "t1", "t1", "t2"],
        }
    )
    answers = pl.DataFrame({"id": ["d", "c", "b", "a"], "label": ["neutral", "e", "e", "contradiction"]})
    assert render_hans_layout(pairs, answers) == (
        "Heuristic entailed results:\none: 0.5\ntwo: 1.0\n\n"
        "Heuristic non-entailed results:\none: 1.0\n\n"
        "Subcase results:\nx: 0.5\ny: 1.0\n\n"
        "Template results:\nt2: 0.5\nt1: 1.0\n"
    )
    for wrong in (pairs.drop("template"), pairs.with_columns(heuristic=pl.lit(None, dtype=pl.String))):
        with pytest.raises(InputError, match=r"'(template|heuristic)'.*table layout"):
            render_hans_layout(wrong, answers)


def test_rules_follow_their_heuristics_on_hans(pairs: pl.DataFrame) -> None:
    covered = {
        "lexical-overlap": {"lexical_overlap", "subsequence", "constituent"},
        "subsequence": {"subsequence", "constituent"},
        "constituent": {"constituent"},
    }
    for name, parts in covered.items():
        rows = score_predictions(pairs, Rule(name).predict(pairs), by=["heuristic"]).rows
        entailed = rows.filter(gold="entailment")
        assert dict(entailed.select("heuristic", "accuracy").iter_rows()) == {
            tag: float(tag in parts) for tag in PARTS.values()
        }
        others = rows.filter(gold="non-entailment")
        assert (entailed["accuracy"] + others["accuracy"] == 1).all()
