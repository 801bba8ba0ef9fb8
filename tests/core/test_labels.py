"""Label words, merging, and how a set's labels decide what is compared."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.core import labels
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NEUTRAL, NON_ENTAILMENT


@pytest.mark.parametrize(
    ("word", "label"),
    [
        ("not_entailment", NON_ENTAILMENT),
        ("Non-Entailment", NON_ENTAILMENT),
        ("non entailment", NON_ENTAILMENT),
        ("contradictory", CONTRADICTION),
        ("ENTAILMENT", ENTAILMENT),
        (" entails ", ENTAILMENT),
        ("e", ENTAILMENT),
        ("N", NEUTRAL),
        ("c", CONTRADICTION),
    ],
)
def test_words_stand_for_labels(word: str, label: str) -> None:
    assert labels.resolve_label(word) == label


@settings(deadline=None)
@given(st.sampled_from(labels.LABELS), st.data())
def test_case_and_joints_do_not_matter(label: str, data: st.DataObject) -> None:
    joint = data.draw(st.sampled_from(["-", "_", " ", ""]))
    word = "".join(data.draw(st.sampled_from([c.lower(), c.upper()])) for c in label).replace("-", joint)
    assert labels.resolve_label(word) == label


@pytest.mark.parametrize("word", ["0", "1", "LABEL_0", "true", "yes", "entailmen", "nan", "--"])
def test_unknown_words_are_refused(word: str) -> None:
    with pytest.raises(InputError, match=f"'{word}'.*entailment"):
        labels.resolve_label(word)


@pytest.mark.parametrize("word", ["", "-", "-1", "  "])
def test_words_for_no_label_have_their_own_message(word: str) -> None:
    with pytest.raises(InputError, match=f"'{word}'(?!.*{ENTAILMENT})"):
        labels.resolve_label(word)


def test_columns_resolve_at_once_and_name_the_wrong_row() -> None:
    column = pl.Series("gold", ["E", "neutral", "E"])
    assert labels.resolve_labels(column).to_list() == [ENTAILMENT, NEUTRAL, ENTAILMENT]
    for wrong in ("maybe", "-", None):
        with pytest.raises(InputError, match="'gold', row 2"):
            labels.resolve_labels(pl.Series("gold", ["E", wrong, "what"]))


def test_merge_takes_series_and_expressions() -> None:
    column = pl.Series("label", labels.LABELS)
    merged = [ENTAILMENT, NON_ENTAILMENT, NON_ENTAILMENT, NON_ENTAILMENT]
    assert labels.merge_labels(column).to_list() == merged
    assert column.to_frame().select(labels.merge_labels(pl.col("label")))["label"].to_list() == merged


PROBABLE = pl.DataFrame(
    {
        "label": [ENTAILMENT, ENTAILMENT, NEUTRAL, NON_ENTAILMENT],
        "p_entailment": [0.4, 0.6, 0.5, 0.3],
        "p_neutral": [0.3, 0.4, 0.5, None],
        "p_contradiction": [0.3, 0.0, 0.0, None],
        "p_non_entailment": [None, None, None, 0.7],
    }
)


def test_the_two_rules_differ_where_two_labels_outweigh_the_first() -> None:
    most = labels.apply_label_rule(PROBABLE, "argmax").to_list()
    assert most == [ENTAILMENT, ENTAILMENT, NON_ENTAILMENT, NON_ENTAILMENT]
    # The third is a tie, which the answer's own label breaks.
    assert labels.apply_label_rule(PROBABLE, "sum").to_list() == [
        NON_ENTAILMENT,
        ENTAILMENT,
        NON_ENTAILMENT,
        NON_ENTAILMENT,
    ]


def test_by_default_probabilities_decide_if_every_prediction_has_them() -> None:
    assert labels.apply_label_rule(PROBABLE).equals(labels.apply_label_rule(PROBABLE, "sum"))
    two = pl.Series([ENTAILMENT, NON_ENTAILMENT] * 2)
    assert labels.compare_labels(two, PROBABLE).rule == labels.RULES["sum"]
    assert labels.compare_labels(two, PROBABLE).used_rule == "sum"
    gaps = PROBABLE.with_columns(pl.when(pl.int_range(pl.len()) > 0).then(pl.col("^p_.*$")))
    unread = gaps.with_columns(
        label=pl.when(pl.int_range(pl.len()) > 0).then("label").otherwise(pl.lit("refused"))
    )
    for predictions, rule in (
        (gaps, labels.RULES["argmax"] + labels.SOME_PROBABILITIES),
        (PROBABLE.select("label"), labels.RULES["argmax"] + labels.NO_PROBABILITIES),
        (unread, labels.RULES["sum"]),  # a prediction without a label needs none
    ):
        assert labels.compare_labels(two, predictions).rule == rule
    three = PROBABLE.filter(pl.col("label") != NON_ENTAILMENT)
    assert labels.compare_labels(pl.Series([NEUTRAL] * three.height), three).rule == labels.DIRECT


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=1, max_size=30))
def test_the_same_probability_of_entailment_decides_alike_for_two_labels_and_for_three(
    drawn: list[tuple[int, int]],
) -> None:
    yes = [first / 100 for first, _ in drawn]
    rest = [(100 - first) * second / 10_000 for first, second in drawn]
    last = [1 - a - b for a, b in zip(yes, rest, strict=True)]
    three = pl.DataFrame({"p_entailment": yes, "p_neutral": rest, "p_contradiction": last})
    names = list(labels.THREE_LABELS)
    most = [names[max(range(3), key=row.__getitem__)] for row in three.rows()]
    halves = [ENTAILMENT if p > 0.5 else NON_ENTAILMENT for p in yes]
    two = pl.DataFrame({"p_entailment": yes, "p_non_entailment": [1 - p for p in yes]})
    gold = pl.Series([ENTAILMENT, NON_ENTAILMENT] * 15).head(len(drawn))
    both = [
        labels.compare_labels(gold, table.with_columns(label=pl.Series(said))).table["prediction"].to_list()
        for table, said in ((three, most), (two, halves))
    ]
    even = [abs(p - 0.5) < 1e-9 for p in yes]  # a tie, which the label given breaks
    assert [a for a, tie in zip(both[0], even, strict=True) if not tie] == [
        b for b, tie in zip(both[1], even, strict=True) if not tie
    ]


def test_the_sum_needs_all_probabilities() -> None:
    for table in (PROBABLE.drop("p_neutral"), PROBABLE.select("label")):
        with pytest.raises(InputError, match="needs the probabilities"):
            labels.apply_label_rule(table, "sum")


def test_unknown_rules_are_refused() -> None:
    for gold in ([ENTAILMENT] * 4, [NEUTRAL] * 4):
        with pytest.raises(UnknownNameError, match="argmax"):
            labels.compare_labels(pl.Series(gold), PROBABLE, "argmx")


def answers(*given: str) -> pl.DataFrame:
    return pl.DataFrame({"label": given})


def test_a_set_of_two_labels_merges_the_answers() -> None:
    compared = labels.compare_labels(pl.Series([ENTAILMENT, NON_ENTAILMENT]), answers(NEUTRAL, CONTRADICTION))
    assert compared.table["prediction"].to_list() == [NON_ENTAILMENT, NON_ENTAILMENT]
    assert compared.rule.startswith("argmax")
    assert compared.warnings == ()


def test_three_labels_are_compared_directly() -> None:
    gold = pl.Series([NEUTRAL, CONTRADICTION])
    compared = labels.compare_labels(gold, answers(CONTRADICTION, CONTRADICTION))
    assert compared.table.rows() == [(NEUTRAL, CONTRADICTION), (CONTRADICTION, CONTRADICTION)]
    assert compared.rule.startswith("direct")
    assert "not used" in labels.compare_labels(gold, answers(CONTRADICTION, NEUTRAL), "sum").warnings[0]


def test_two_label_answers_merge_a_three_label_set_with_a_warning() -> None:
    compared = labels.compare_labels(pl.Series([NEUTRAL, ENTAILMENT]), answers(NON_ENTAILMENT, ENTAILMENT))
    assert compared.table["gold"].to_list() == [NON_ENTAILMENT, ENTAILMENT]
    assert "entailment, neutral" in compared.warnings[0]


@pytest.mark.parametrize("word", labels.NO_LABEL)
def test_a_prediction_may_have_no_label_but_a_gold_label_may_not(word: str) -> None:
    column = pl.Series("label", ["E", f" {word.upper()} "])
    assert labels.resolve_predictions(column).to_list() == [ENTAILMENT, word]
    with pytest.raises(InputError, match=f"(?i)row 2: .*{word}"):
        labels.resolve_labels(column)
    with pytest.raises(InputError, match=r"row 1: .*'maybe'"):
        labels.resolve_predictions(pl.Series("label", ["maybe", word]))


@pytest.mark.parametrize("rule", labels.RULES)
@pytest.mark.parametrize("chance", [None, 0.9])
def test_what_is_no_label_is_merged_into_nothing(rule: str, chance: float | None) -> None:
    more = pl.DataFrame(
        {"label": labels.NO_LABEL, "p_entailment": chance, "p_neutral": 0.1, "p_contradiction": 0.0},
        schema_overrides={"p_entailment": pl.Float64},
    )
    both = pl.concat([PROBABLE, more], how="diagonal")
    assert labels.merge_labels(more["label"]).to_list() == list(labels.NO_LABEL)
    decided = labels.apply_label_rule(both, rule).to_list()
    assert decided[4:] == list(labels.NO_LABEL)
    assert decided[:4] == labels.apply_label_rule(PROBABLE, rule).to_list()


def test_what_is_no_label_is_never_right_and_never_a_reason_to_merge() -> None:
    unread = answers("unreadable", "refused")
    for gold in ([ENTAILMENT, NEUTRAL], [ENTAILMENT, NON_ENTAILMENT]):
        assert not labels.must_merge_labels(pl.Series(gold), unread["label"])
        compared = labels.compare_labels(pl.Series(gold), unread)
        assert compared.table["prediction"].to_list() == ["unreadable", "refused"]
        assert compared.warnings == ()
    merged = labels.compare_labels(pl.Series([ENTAILMENT, NEUTRAL]), unread, merged=True)
    assert merged.table["prediction"].to_list() == ["unreadable", "refused"]
