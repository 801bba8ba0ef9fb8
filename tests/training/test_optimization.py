"""Schedules: pure functions of the step and of what the dev set said."""

from __future__ import annotations

from typing import get_args

import pytest

import rightreasons as rr
from rightreasons.nets.recipe import RELOADING_SCHEDULES, ScheduleName
from rightreasons.training.optimization import SCHEDULES, DevCheck, TrainingPosition, get_schedule


def after(*accuracies: float, an_epoch: int = 10) -> TrainingPosition:
    """Tell where a run is after whole epochs with these accuracies."""
    checks = [DevCheck(epoch, accuracy) for epoch, accuracy in enumerate(accuracies)]
    return TrainingPosition(len(accuracies) * an_epoch, 1000, an_epoch, 0.0, checks)


def factor(name: str, moment: TrainingPosition) -> float:
    return SCHEDULES[name].factor(moment)


def test_the_recipe_names_all_of_them() -> None:
    assert set(get_args(ScheduleName)) == set(SCHEDULES)
    with pytest.raises(rr.UnknownNameError, match="plateau"):
        get_schedule("plateu")


def test_linear_rises_over_the_warm_up_and_falls_to_nothing() -> None:
    rates = [factor("linear", TrainingPosition(step, 100, 50, 0.1)) for step in range(101)]
    assert rates[:10] == pytest.approx([0.1 * place for place in range(1, 11)])
    assert rates[10:] == pytest.approx([(100 - step) / 90 for step in range(10, 101)])


def test_constant_stays_after_the_warm_up() -> None:
    assert [factor("constant", TrainingPosition(step, 100, 50, 0.02)) for step in (0, 1, 2, 99)] == [
        0.5,
        1,
        1,
        1,
    ]
    assert factor("constant", TrainingPosition(0, 100, 50)) == 1


def test_plateau_halves_after_each_epoch_without_a_new_best() -> None:
    heights = [0.5, 0.6, 0.6, 0.55, 0.7, 0.65]
    found = [factor("plateau", after(*heights[:count])) for count in range(7)]
    assert found == [1, 1, 1, 0.5, 0.25, 0.25, 0.125]


def test_an_epoch_with_one_new_best_among_its_checks_is_not_flat() -> None:
    checks = [
        DevCheck(0, 0.5),
        DevCheck(0, 0.4),
        DevCheck(1, 0.6),
        DevCheck(1, 0.5),
        DevCheck(2, 0.6),
        DevCheck(2, 0.1),
    ]
    assert factor("plateau", TrainingPosition(30, 100, 10, 0.0, checks)) == 0.5
    assert (
        factor("plateau", TrainingPosition(29, 100, 10, 0.0, checks)) == 1
    )  # the third epoch is not over yet


def test_two_epochs_halves_every_other_epoch() -> None:
    assert [factor("two-epochs", TrainingPosition(10 * epoch, 60, 10)) for epoch in range(6)] == [
        1,
        1,
        0.5,
        0.5,
        0.25,
        0.25,
    ]


def test_reload_stops_after_more_than_seven_halvings() -> None:
    schedule = SCHEDULES["reload"]
    assert schedule.reloads
    seven, eight = after(0.5, *[0.4] * 7), after(0.5, *[0.4] * 8)
    assert (schedule.factor(seven), schedule.ends(seven, 1.0)) == (0.5**7, False)
    assert schedule.ends(eight, 1.0)


def test_infersent_shrinks_slowly_then_by_five_and_stops_below_its_least_rate() -> None:
    schedule = SCHEDULES["infersent"]
    assert schedule.factor(after(0.5, 0.6)) == pytest.approx(0.99**2)
    assert schedule.factor(after(0.5, 0.6, 0.55)) == pytest.approx(0.99**3 / 5)
    assert not schedule.ends(after(0.5), 1.1e-5)
    assert schedule.ends(after(0.5), 0.9e-5)


def test_two_flat_checks_halve_and_count_anew() -> None:
    def found(*heights: float) -> float:
        return factor(
            "two-flat-checks", TrainingPosition(5, 100, 10, 0.0, [DevCheck(0, height) for height in heights])
        )

    assert found(0.5, 0.4) == 1
    assert found(0.5, 0.4, 0.4) == 0.5
    assert found(0.5, 0.4, 0.4, 0.4) == 0.5
    assert found(0.5, 0.4, 0.6, 0.4) == 1
    assert found(0.5, 0.4, 0.4, 0.4, 0.4) == 0.25


def test_a_recipe_knows_the_schedules_that_return_to_the_best_weights() -> None:
    assert tuple(name for name, schedule in SCHEDULES.items() if schedule.reloads) == RELOADING_SCHEDULES
