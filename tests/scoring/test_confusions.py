"""Kinds of error, as the stress-test paper counts them."""

from __future__ import annotations

import polars as pl
import pytest

from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NEUTRAL, REFUSED, UNREADABLE
from rightreasons.scoring import confusions
from rightreasons.scoring.proportion import CLUSTERS
from rightreasons.scoring.sharing import WILSON

E, N, C = ENTAILMENT, NEUTRAL, CONTRADICTION
ANSWERS = pl.DataFrame(
    {
        "gold": [E] * 10 + [N] * 10 + [C] * 10,
        "prediction": [E] * 5
        + [N] * 3
        + [C] * 2
        + [N] * 6
        + [E] * 4
        + [C] * 4
        + [E] * 3
        + [N]
        + [UNREADABLE, REFUSED],
    }
)


def test_every_answer_is_counted_under_its_true_label() -> None:
    table = confusions.count_confusions(ANSWERS)
    assert table["gold"].to_list() == [E] * 4 + [N] * 4 + [C] * 4
    assert table["prediction"].to_list() == [E, N, C, confusions.WITHOUT_LABEL] * 3
    assert table["n"].to_list() == [5, 3, 2, 0, 4, 6, 0, 0, 3, 1, 4, 2]
    assert table["of"].to_list() == [10] * 12
    assert table["share"].to_list() == [n / 10 for n in table["n"]]


def test_shares_are_of_all_errors() -> None:
    table = confusions.count_confusions(ANSWERS)
    assert confusions.count_errors(table) == 15
    counted = {
        confusions.FALSE_NEUTRAL: 4, confusions.FALSE_ENTAILMENT: 7, confusions.C_AS_E: 3, confusions.C_AS_N: 1,
        confusions.E_AS_C: 2, confusions.N_AS_C: 0,
    }  # fmt: skip
    for kind, count in counted.items():
        assert confusions.count_errors_of_kind(table, kind) == count
        portion = confusions.compute_error_kind_proportion(ANSWERS, kind)
        assert (portion.hits, portion.n) == (count, 15)


def test_without_errors_there_is_no_share() -> None:
    table = confusions.count_confusions(ANSWERS[:5])
    assert confusions.count_errors(table) == 0
    assert confusions.compute_error_kind_proportion(ANSWERS[:5], confusions.FALSE_NEUTRAL).share is None


def test_errors_that_belong_together_tell_less() -> None:
    many = pl.concat([ANSWERS] * 20)
    alone = confusions.compute_error_kind_proportion(many, confusions.FALSE_NEUTRAL)
    copies = pl.Series(list(range(ANSWERS.height)) * 20)
    together = confusions.compute_error_kind_proportion(many, confusions.FALSE_NEUTRAL, copies)
    assert (together.hits, together.n) == (alone.hits, alone.n) == (80, 300)
    assert together.high - together.low > 3 * (alone.high - alone.low)
    assert (alone.interval, together.interval) == (WILSON, CLUSTERS)


@pytest.mark.parametrize(
    ("golds", "kind", "can"),
    [
        ({C}, confusions.C_AS_E, True),
        ({C}, confusions.E_AS_C, False),
        ({N}, confusions.FALSE_NEUTRAL, False),
        ({C}, confusions.FALSE_NEUTRAL, True),
    ],
)
def test_a_set_shows_the_kinds_that_its_labels_allow(
    golds: set[str], kind: tuple[str, str], can: bool
) -> None:
    assert confusions.can_error_kind_occur(golds, kind) is can


def test_the_order_of_pairs_is_nothing_to_it() -> None:
    assert confusions.count_confusions(ANSWERS.reverse()).equals(confusions.count_confusions(ANSWERS))
