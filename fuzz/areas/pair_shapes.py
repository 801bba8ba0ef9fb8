"""The columns that files of pairs and corpora have, each as its authors give it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fuzz.areas.prediction_files import NOUNS
from fuzz.oracle import THREE, Row
from fuzz.tables import KINDS

if TYPE_CHECKING:
    import random
    from collections.abc import Callable


def _tree(text: str) -> str:
    return f"(ROOT (S {' '.join(f'(X {word})' for word in text.rstrip('.').split())} (. .)))"


def _binary(text: str) -> str:
    words = text.rstrip(".").split()
    shown = words[-1]
    for word in reversed(words[:-1]):
        shown = f"( {word} {shown} )"
    return f"( {shown} . )"


def _plain(chance: random.Random, pairs: list[Row]) -> tuple[list[Row], str]:
    return [dict(pair) for pair in pairs], chance.choice(KINDS)


def _usual_names(chance: random.Random, pairs: list[Row]) -> tuple[list[Row], str]:
    """Use column names of other people."""
    texts = chance.choice(
        (("sentence1", "sentence2"), ("text1", "text2"), ("evidence", "claim"), ("context", "hypothesis"))
    )
    label = chance.choice(("label", "gold_label", "labels"))
    rows = [
        {"uid": pair["id"], texts[0]: pair["premise"], texts[1]: pair["hypothesis"], label: pair["label"]}
        for pair in pairs
    ]
    return rows, chance.choice(KINDS)


def _hans(chance: random.Random, pairs: list[Row]) -> tuple[list[Row], str]:
    rows = [
        {
            "gold_label": "entailment" if pair["label"] == "entailment" else "non-entailment",
            "sentence1_binary_parse": _binary(pair["premise"]),
            "sentence2_binary_parse": _binary(pair["hypothesis"]),
            "sentence1_parse": _tree(pair["premise"]),
            "sentence2_parse": _tree(pair["hypothesis"]),
            "sentence1": pair["premise"],
            "sentence2": pair["hypothesis"],
            "pairID": pair["id"],
            "heuristic": chance.choice(("lexical_overlap", "subsequence", "constituent")),
            "subcase": pair["subcase"],
            "template": "temp1",
        }
        for pair in pairs
    ]
    return rows, chance.choice(("tsv", "jsonl"))


def _hub(chance: random.Random, pairs: list[Row]) -> tuple[list[Row], str]:
    rows = [
        {
            "premise": pair["premise"],
            "hypothesis": pair["hypothesis"],
            "label": int(pair["label"] != "entailment"),
            "parse_premise": _tree(pair["premise"]),
            "parse_hypothesis": _tree(pair["hypothesis"]),
            "binary_parse_premise": _binary(pair["premise"]),
            "binary_parse_hypothesis": _binary(pair["hypothesis"]),
            "heuristic": "subsequence",
            "subcase": pair["subcase"],
            "template": "temp1",
        }
        for pair in pairs
    ]
    return rows, chance.choice(("parquet", "jsonl"))


def _mnli(chance: random.Random, pairs: list[Row]) -> tuple[list[Row], str]:
    """Make MultiNLI's columns; the text files have the annotators' labels in columns of their own."""
    kind = chance.choice(("jsonl", "tsv"))
    rows = []
    for number, pair in enumerate(pairs):
        annotators = [chance.choice(THREE) for _ in range(5)]
        own: Row = {f"label{place + 1}": label for place, label in enumerate(annotators)}
        own = {"annotator_labels": annotators} if kind == "jsonl" else own
        rows.append(
            {
                "gold_label": chance.choice((pair["label"], pair["label"], "-", "hidden")),
                "sentence1_binary_parse": _binary(pair["premise"]),
                "sentence2_binary_parse": _binary(pair["hypothesis"]),
                "sentence1_parse": _tree(pair["premise"]),
                "sentence2_parse": _tree(pair["hypothesis"]),
                "sentence1": pair["premise"],
                "sentence2": pair["hypothesis"],
                "promptID": str(number // 3),
                "pairID": f"{number // 3}{pair['label'][0]}",
                "genre": chance.choice(("fiction", "travel", "")),
                **own,
            }
        )
    return rows, kind


def _sick(chance: random.Random, pairs: list[Row]) -> tuple[list[Row], str]:
    rules = chance.random() < 0.5
    rows = [
        {
            "pair_ID": str(number),
            "sentence_A": pair["premise"],
            "sentence_B": pair["hypothesis"],
            "entailment_label": pair["label"].upper(),
            "relatedness_score": "4.5",
            **(
                {
                    "sentence_A_expRule": chance.choice(("S2_det,lex", "S3_null", "null", "x")),
                    "sentence_B_expRule": "S4_ap",
                }
                if rules
                else {}
            ),
        }
        for number, pair in enumerate(pairs)
    ]
    return rows, "tsv"


def _stress(chance: random.Random, pairs: list[Row]) -> tuple[list[Row], str]:
    """Make the columns of the released numerical stress test."""
    rows = [
        {
            "gold_label": pair["label"],
            "sentence1_binary_parse": pair["premise"],
            "sentence2_binary_parse": pair["hypothesis"],
            "sentence1": pair["premise"],
            "sentence2": pair["hypothesis"],
        }
        for pair in pairs
    ]
    return rows, chance.choice(("jsonl", "tsv"))


def _problems(chance: random.Random, pairs: list[Row]) -> tuple[list[Row], str]:
    """Make word problems as AQuA-RAT and GSM8K have them, or texts without more."""
    shape = chance.choice(("aqua", "gsm8k", "texts"))
    rows: list[Row] = []
    for number, _ in enumerate(pairs):
        text = (
            f"The {chance.choice(NOUNS)} has {number + 2} apples and buys 3 more. How many apples are there?"
        )
        if shape == "aqua":
            options = [f"{letter}){number + place}" for place, letter in enumerate("ABCDE")]
            rows.append(
                {
                    "question": text,
                    "options": options,
                    "rationale": "Add them.",
                    "correct": chance.choice("ABCDEX"),
                }
            )
        elif shape == "gsm8k":
            rows.append({"question": text, "answer": f"Add 3.<<{number}+3={number + 3}>>\n#### {number + 5}"})
        else:
            rows.append({"id": f"t{number}", "text": text, "genre": None})
    return rows, "jsonl"


SHAPES: tuple[Callable[[random.Random, list[Row]], tuple[list[Row], str]], ...] = (
    _plain,
    _plain,
    _plain,
    _plain,
    _usual_names,
    _hans,
    _hub,
    _mnli,
    _sick,
    _stress,
    _problems,
)
