"""Counting by tags and true label, and the warnings that go with it."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.labels import GOLD_MERGED_TOO, NO_PROBABILITIES, RULES, THREE_LABELS
from rightreasons.io.predictions import read_predictions
from rightreasons.scoring.accuracy import SCORE_COLUMNS, must_merge_labels, score_predictions

if TYPE_CHECKING:
    from pathlib import Path

E, N, C, X = "entailment", "neutral", "contradiction", "non-entailment"
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", None]),
        st.sampled_from(["s", "t"]),
        st.sampled_from([E, X]),
        st.sampled_from(THREE_LABELS),
    ),
    min_size=1,
    max_size=40,
)


def make(gold: list[str], given: list[str], **tags: object) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Make a set and its answers, the answers in the other order."""
    ids = [f"p{i}" for i in range(len(gold))]
    pairs = pl.DataFrame({"id": ids, "label": gold, **tags})
    return pairs, pl.DataFrame({"id": ids, "label": given}).reverse()


@settings(deadline=None)
@given(ROWS)
def test_counts_are_those_of_a_plain_loop(rows: list[tuple[str, ...]]) -> None:
    first, second, gold, answer = (list(column) for column in zip(*rows, strict=True))
    pairs, answers = make(gold, answer, first=pl.Series(first, dtype=pl.String), second=second)
    n, right = Counter(), Counter()
    for a, b, true, said in rows:
        for cell in ((a, b, true), (a, b, "all")):
            n[cell] += 1
            right[cell] += (said == E) == (true == E)
    groups = list(dict.fromkeys((a, b) for a, b, _, _ in rows))
    expected = [
        (*g, label, n[*g, label], right[*g, label]) for g in groups for label in (E, X, "all") if n[*g, label]
    ]
    made = score_predictions(pairs, answers, by=["first", "second"]).rows
    assert made.drop("accuracy", "low", "high", "interval").rows() == expected
    assert made.columns == ["first", "second", *SCORE_COLUMNS]


def test_without_tags_there_is_one_group() -> None:
    rows = score_predictions(*make([X, E, X, E], [N, E, E, C])).rows
    assert rows.drop("low", "high", "interval").rows() == [(E, 2, 1, 0.5), (X, 2, 1, 0.5), ("all", 4, 2, 0.5)]


def test_gold_rows_follow_the_label_order() -> None:
    rows = score_predictions(*make([C, N, E], [C, N, N])).rows
    assert rows["gold"].to_list() == [E, N, C, "all"]
    assert rows["correct"].to_list() == [0, 1, 1, 2]


def test_three_labels_are_merged_where_that_is_asked_for() -> None:
    pairs, answers = make([E, N, C, C], [E, C, C, E])
    assert score_predictions(pairs, answers).rows["correct"].to_list() == [1, 0, 1, 2]
    merged = score_predictions(pairs, answers, merge=True)
    assert merged.rows.select("gold", "n", "correct").rows() == [(E, 1, 1), (X, 3, 2), ("all", 4, 3)]
    assert merged.label_rule == RULES["argmax"] + NO_PROBABILITIES + GOLD_MERGED_TOO
    assert merged.warnings == ()
    unasked = score_predictions(pairs, answers.with_columns(pl.col("label").replace({C: X})))
    assert unasked.rows.equals(merged.rows)
    assert unasked.label_rule == merged.label_rule
    assert "both were merged" in unasked.warnings[0]


@pytest.mark.parametrize(
    ("gold", "given", "expected"),
    [
        ([E, N], [E, C], False),
        ([E, N], [E, "not_entailment"], True),
        ([E, X], [E, X], False),
        ([E, X], [N, C], False),
        ([N, X], [E, C], True),
    ],
)
def test_only_finer_labels_beside_non_entailment_must_be_merged(
    gold: list[str], given: list[str], expected: bool
) -> None:
    assert must_merge_labels(*make(gold, given)) is expected


def test_words_for_labels_are_resolved_on_both_sides() -> None:
    scores = score_predictions(*make(["ENTAILMENT", "not_entailment"], ["e", "c"]))
    assert scores.rows["correct"].to_list() == [1, 1, 2]


def test_the_label_rule_is_an_option_and_is_stated() -> None:
    pairs, answers = make([X, E], [E, E])
    answers = answers.with_columns(p_entailment=0.4, p_neutral=0.3, p_contradiction=0.3)
    most = score_predictions(pairs, answers, rule="argmax")
    assert most.rows["correct"].to_list() == [1, 0, 1]
    assert most.label_rule.startswith("argmax: ")
    for summed in (score_predictions(pairs, answers), score_predictions(pairs, answers, rule="sum")):
        assert summed.rows["correct"].to_list() == [0, 1, 1]
        assert summed.label_rule.startswith("sum: ")
    with pytest.raises(UnknownNameError, match="label rule"):
        score_predictions(pairs, answers, rule="max")


def test_scores_show_as_json_and_csv() -> None:
    scores = score_predictions(
        *make([E, X], [E, E], tag=pl.Series([None, 'a"b'], dtype=pl.String)), by=["tag"]
    )
    shown = json.loads(scores.to_json())
    assert list(shown) == ["rows", "label_rule", "warnings", "predicted"]
    assert list(shown["rows"][0]) == ["tag", "gold", "n", "correct", "accuracy", "low", "high", "interval"]
    assert shown["rows"][0]["interval"] == "wilson"
    assert shown["rows"][0]["tag"] is None
    assert pl.read_csv(scores.to_csv().encode())["tag"].to_list() == [None, None, 'a"b', 'a"b']
    assert shown["warnings"] == list(scores.warnings)


def test_tags_that_do_not_exist_or_clash_are_refused() -> None:
    pairs, answers = make([E], [E], subcase=["a"], n=["b"])
    with pytest.raises(UnknownNameError, match=r"no tag called 'subcas'\. Did you mean subcase"):
        score_predictions(pairs, answers, by=["subcas"])
    with pytest.raises(InputError, match=r"'n'.*Rename"):
        score_predictions(pairs, answers, by=["n"])
    assert score_predictions(pairs, answers, by=["subcase", "subcase"]).rows.columns[:2] == [
        "subcase",
        "gold",
    ]


def test_wrong_sets_and_predictions_are_refused() -> None:
    pairs, answers = make([E, "-"], [E, E])
    with pytest.raises(InputError, match=r"'label', row 2: .*'-'"):
        score_predictions(pairs, answers)
    with pytest.raises(InputError, match="no column 'label'"):
        score_predictions(pairs.drop("label"), answers)
    with pytest.raises(InputError, match="no pairs"):
        score_predictions(pairs.clear(), answers)
    with pytest.raises(InputError, match=r"'p1', row 2\b"):
        score_predictions(pairs.with_columns(label=pl.lit(E)), answers.filter(pl.col("id") != "p1"))


def test_the_file_of_the_predictions_is_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("id,label\np0,e\np7,n\n")
    with pytest.raises(InputError, match=r"answers\.csv, line 3: .*'p7'"):
        score_predictions(make([E, X], [E, E])[0], read_predictions(path), path=path)


@pytest.mark.parametrize("given", [[E] * 4, [N, C, N, C]])
def test_constant_predictions_are_warned_of_if_gold_labels_differ(given: list[str]) -> None:
    assert any(text.startswith("All 4 ") for text in score_predictions(*make([E, X, E, X], given)).warnings)
    assert score_predictions(*make([E] * 4, given)).warnings == ()


def test_varying_predictions_are_not_warned_of() -> None:
    assert score_predictions(*make([E, X, E, X], [E, N, E, E])).warnings == ()


@pytest.mark.parametrize(
    ("gold", "given", "message"),
    [
        ([E, X] * 5, [X, E] * 5, "Reading entailment as non-entailment, non-entailment as entailment"),
        ([E, X] * 5, [N, E] * 5, "Reading entailment as neutral, neutral as entailment [^,]*%"),
        (
            [E, N, C] * 4,
            [N, C, E] * 4,
            "entailment as contradiction, neutral as entailment, contradiction as neutral",
        ),
        (
            [E, N, C] * 4,
            [E, C, N] * 4,
            r"Reading neutral as contradiction, contradiction as neutral .*33.3% to 100.0%",
        ),
        ([E, N] * 5, [X, E] * 5, "Reading entailment as non-entailment"),
    ],
)
def test_mixed_up_labels_are_warned_of(gold: list[str], given: list[str], message: str) -> None:
    warnings = score_predictions(*make(gold, given)).warnings
    assert re.search(message, warnings[-1])


@pytest.mark.parametrize(("right", "warned"), [(160, True), (161, False)])
def test_twenty_points_are_the_limit(right: int, warned: bool) -> None:
    # Of 400 answers, 160 right ones turn into 240 when the two labels change places; 161 into 239.
    gold = [E, X] * 200
    other = {E: X, X: E}
    scores = score_predictions(*make(gold, gold[:right] + [other[label] for label in gold[right:]]))
    assert scores.rows["correct"][-1] == right
    assert any(text.startswith("Reading ") for text in scores.warnings) is warned


@pytest.mark.parametrize("heads", [("p_entailment", "p_non_entailment"), ("p_entailment", "p_neutral")])
def test_mixed_up_probabilities_are_warned_of_under_the_sum(heads: tuple[str, str]) -> None:
    pairs, answers = make([E, X] * 5, [X, E] * 5 if "non" in heads[1] else [N, E] * 5)
    yes = pl.when(pl.col("label") == E).then(0.9).otherwise(0.1)
    answers = answers.with_columns(yes.alias(heads[0]), (1 - yes).alias(heads[1]), p_contradiction=0.0)
    answers = answers.drop("p_contradiction") if "non" in heads[1] else answers
    assert score_predictions(pairs, answers, rule="sum").warnings[-1].startswith("Reading ")
