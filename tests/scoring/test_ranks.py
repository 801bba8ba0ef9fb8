"""Ranges of ranks: they hold as often as they say, and are no wider than they need to be."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from rightreasons.scoring.ranks import (
    Ranks,
    average_over_sets,
    find_wins_on_average,
    measure_accuracies,
    rank_models,
)


def keyed(n: int, each: int = 1, name: str = "") -> pl.Series:
    return pl.Series([f"{name}{number // each}" for number in range(n)])


def make_predictions(columns: dict[str, list[int]]) -> pl.DataFrame:
    return pl.DataFrame(columns).cast(pl.Boolean)


def ranges(found: Ranks) -> list[tuple[int, int]]:
    return list(zip(found.best.tolist(), found.worst.tolist(), strict=True))


def drawn(rng: np.random.Generator, skills: list[float], units: int, each: int) -> pl.DataFrame:
    """Draw right answers of models that find the same pairs hard; pairs of one unit are alike."""
    hard = rng.normal(size=(units, 1))
    luck = rng.normal(size=(units, len(skills)))
    right = np.repeat(np.array(skills) + hard + luck > 0, each, axis=0)
    return pl.DataFrame(right, schema=[f"m{number}" for number in range(len(skills))], orient="row")


def measured_ranks(right: pl.DataFrame, keys: pl.Series) -> Ranks:
    return rank_models(find_wins_on_average(measure_accuracies(right, keys)))


@pytest.mark.parametrize("each", [1, 4])
def test_equal_models_differ_in_one_case_of_twenty(each: int) -> None:
    rng = np.random.default_rng(1)
    found = [measured_ranks(drawn(rng, [0.3] * 2, 120, each), keyed(120 * each, each)) for _ in range(600)]
    wrong = np.mean([one.better.any() for one in found])
    assert wrong <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 600)
    assert wrong >= 0.02  # a rule that never tells models apart would be of no use


def test_very_different_models_get_different_ranks() -> None:
    rng = np.random.default_rng(2)
    skills = [1.2, 0.5, 0.4, 0.4, -0.6]
    shown = [measured_ranks(drawn(rng, skills, 300, 1), keyed(300)).better for _ in range(100)]
    assert np.mean([better[0, 4] for better in shown]) == 1
    assert np.mean([better[0, 1] for better in shown]) > 0.9


def test_another_model_changes_nothing_between_two() -> None:
    table = drawn(np.random.default_rng(6), [0.5, 0.3, 0.1, 0.0], 150, 2)
    whole = measured_ranks(table, keyed(300, 2)).better
    two = measured_ranks(table.select("m0", "m2"), keyed(300, 2)).better
    assert two.tolist() == whole[np.ix_([0, 2], [0, 2])].tolist()


def test_pairs_that_go_together_count_as_one() -> None:
    rng = np.random.default_rng(3)
    table = drawn(rng, [0.6, 0.2], 40, 25)
    alone, together = measure_accuracies(table, keyed(1000)), measure_accuracies(table, keyed(1000, 25))
    assert np.diag(together.covariance) == pytest.approx(25 * np.diag(alone.covariance), rel=0.1)
    assert ranges(rank_models(find_wins_on_average(alone))) == [(1, 1), (2, 2)]


def test_few_differences_prove_nothing() -> None:
    four, six = [0] * 4 + [1] * 96, [0] * 6 + [1] * 94
    assert ranges(measured_ranks(make_predictions({"a": [1] * 100, "b": four}), keyed(100))) == [
        (1, 2),
        (1, 2),
    ]
    assert ranges(measured_ranks(make_predictions({"a": [1] * 100, "b": six}), keyed(100))) == [
        (1, 1),
        (2, 2),
    ]
    assert ranges(measured_ranks(make_predictions({"a": six, "b": six}), keyed(100))) == [(1, 2), (1, 2)]
    assert ranges(measured_ranks(make_predictions({"a": six}), keyed(100))) == [(1, 1)]


def test_a_set_that_is_given_twice_proves_no_more() -> None:
    table = drawn(np.random.default_rng(4), [0.6, 0.2, 0.1], 200, 1)
    once = measure_accuracies(table, keyed(200))
    twice, apart = (
        average_over_sets([once, once]),
        average_over_sets([once, measure_accuracies(table, keyed(200, name="other"))]),
    )
    noise = once.deviations.T @ once.deviations
    assert twice.means == pytest.approx(once.means)
    assert twice.deviations.T @ twice.deviations == pytest.approx(noise)
    assert apart.deviations.T @ apart.deviations == pytest.approx(noise / 2)


def test_each_set_counts_the_same() -> None:
    small = measure_accuracies(make_predictions({"a": [1] * 10, "b": [0] * 10}), keyed(10, name="s"))
    large = measure_accuracies(make_predictions({"a": [0] * 90, "b": [1] * 90}), keyed(90, name="l"))
    assert average_over_sets([small, large]).means.tolist() == [0.5, 0.5]


def test_the_order_of_pairs_and_of_models_changes_nothing() -> None:
    table = drawn(np.random.default_rng(5), [0.9, 0.2, 0.1, 0.0], 80, 1)
    found = measured_ranks(table, keyed(80))
    other = measured_ranks(table.reverse(), keyed(80).reverse())
    turned = measured_ranks(table.select(reversed(table.columns)), keyed(80))
    assert ranges(other) == ranges(found)
    assert ranges(turned) == ranges(found)[::-1]
