"""The loop by itself, on a module small enough to follow by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest

import rightreasons as rr

torch = pytest.importorskip("torch")

from rightreasons.nets.recipe import Optimiser, Recipe  # noqa: E402
from rightreasons.training import checkpoints  # noqa: E402 - torch may be missing
from rightreasons.training.loop import StepPlan, fit_learner  # noqa: E402
from rightreasons.training.optimization import clip_gradients, make_optimiser  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

PLAIN: dict[str, Any] = {"optimiser": "sgd", "weight_decay": 0.0, "warmup": 0.0, "clip": 0.0, "patience": 0}


class Line:
    """One weight that learns to be 1, and a dev set with given accuracies."""

    def __init__(self, accuracies: list[float] | None = None, rows: int = 8) -> None:
        self.module = torch.nn.Linear(1, 1, bias=False)
        torch.nn.init.zeros_(self.module.weight)
        self.accuracies, self.rows = accuracies, rows
        self.seen: list[float] = []

    @property
    def lengths(self) -> np.ndarray:
        return np.ones(self.rows, dtype=np.int64)

    def compute_loss(self, rows: np.ndarray) -> torch.Tensor:
        self.seen.append(float(self.module.weight.detach()))
        return ((self.module(torch.ones(len(rows), 1)) - 1) ** 2).mean()

    def compute_dev_accuracy(self) -> float:
        if self.accuracies is None:
            return 1 - abs(1 - float(self.module.weight.detach()))
        return self.accuracies[min(len(self.accuracies) - 1, len(self.seen) // 4 - 1)]


def recipe(**more: Any) -> Recipe:
    return Recipe(**(PLAIN | {"batch_size": 2, "learning_rate": 0.1, "checks": 1, "epochs": 3} | more))


@pytest.mark.parametrize("name", get_args(Optimiser))
def test_every_optimiser_goes_downhill(name: Any, tmp_path: Path) -> None:
    trained = fit_learner(Line(), recipe(optimiser=name, schedule="constant"), tmp_path, {})
    losses = [row["loss"] for row in trained.rows]
    assert losses[-1] < losses[0]
    assert trained.steps == 12


def test_word_vectors_biases_and_norms_dont_decay() -> None:
    module = torch.nn.ModuleDict({"words": torch.nn.Embedding(4, 3), "net": torch.nn.Linear(3, 2)})
    decaying, others = make_optimiser("adamw", module, 0.1, 0.5).param_groups
    assert (decaying["weight_decay"], others["weight_decay"]) == (0.5, 0.0)
    assert [one.shape for one in decaying["params"]] == [(2, 3)]
    assert sorted(tuple(one.shape) for one in others["params"]) == [(2,), (4, 3)]


def test_gradients_are_clipped_by_norm_by_value_or_not_at_all() -> None:
    def clipped(most: float, by: Any) -> list[float]:
        weight = torch.nn.Parameter(torch.zeros(2))
        weight.grad = torch.tensor([3.0, -4.0])
        clip_gradients([weight], most, by)
        return [round(value, 4) for value in weight.grad.tolist()]

    assert clipped(1.0, "norm") == [0.6, -0.8]
    assert clipped(3.5, "value") == [3.0, -3.5]
    assert clipped(0.0, "norm") == [3.0, -4.0]


def test_the_dev_set_is_asked_at_the_end_of_every_epoch() -> None:
    course = StepPlan(26, recipe(batch_size=2, checks=4, epochs=2))
    asked = [step for step in range(1, 27) if course.has_dev_check(step)]
    assert asked == [4, 7, 10, 13, 17, 20, 23, 26]


def test_a_part_of_an_epoch_is_checked_at_its_end() -> None:
    course = StepPlan(100, recipe(batch_size=10, epochs=0.5))
    assert (course.steps, course.has_dev_check(5)) == (5, True)


def test_it_stops_when_patience_is_over_and_keeps_the_best_weights(tmp_path: Path) -> None:
    line = Line([0.2, 0.9, 0.5, 0.4, 0.95])
    trained = fit_learner(line, recipe(epochs=50, patience=2), tmp_path, {})
    assert (trained.steps, trained.best_step, trained.best) == (16, 8, 0.9)
    assert float(line.module.weight.detach()) == line.seen[8]


def test_patience_is_lost_over_the_last_weights_as_well(tmp_path: Path) -> None:
    line = Line([0.2, 0.9, 0.5, 0.4, 0.95])
    trained = fit_learner(line, recipe(epochs=50, patience=2, keep="last"), tmp_path, {})
    assert (trained.steps, trained.best_step, trained.best) == (16, 16, 0.4)


def test_the_last_weights_and_going_back_to_the_best_are_no_pair() -> None:
    with pytest.raises(rr.InputError, match=r"reload.*keep=best"):
        recipe(schedule="reload", keep="last")


def test_the_last_weights_may_be_wanted(tmp_path: Path) -> None:
    line = Line([0.2, 0.9, 0.5])
    trained = fit_learner(line, recipe(epochs=3, keep="last"), tmp_path, {})
    assert (trained.best_step, trained.best) == (12, 0.5)
    assert float(line.module.weight.detach()) > line.seen[-1]


def test_reload_goes_back_to_the_best_weights_and_halves(tmp_path: Path) -> None:
    line = Line([0.5, 0.4, 0.6])
    trained = fit_learner(line, recipe(schedule="reload"), tmp_path, {})
    assert line.seen[8] == line.seen[4]  # after the worse second epoch
    assert [row["rate"] for row in trained.rows] == pytest.approx([0.1, 0.1, 0.05])


def test_infersent_ends_before_its_epochs_do(tmp_path: Path) -> None:
    line = Line([0.5, *[0.4] * 50])
    trained = fit_learner(line, recipe(schedule="infersent", epochs=50), tmp_path, {})
    assert trained.steps == 4 * 7  # 0.1 / 5**6 is below 1e-5
    assert trained.best_step == 4


def test_a_loss_that_is_no_number_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(rr.InputError, match=r"(nan|inf).*learning rate"):
        fit_learner(Line(), recipe(learning_rate=1e30, epochs=9), tmp_path, {})


class StopError(Exception):
    """Stands for a kill."""


@pytest.mark.parametrize("schedule", ["plateau", "reload", "infersent", "two-flat-checks", "linear"])
def test_a_run_that_was_cut_off_goes_on_as_if_it_had_not_been(
    schedule: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    accuracies = [0.5, 0.4, 0.45, 0.6, 0.5, 0.5, 0.7, 0.6]
    plan = recipe(schedule=schedule, epochs=8, optimiser="amsgrad", save_seconds=0, patience=0)
    whole = Line(accuracies)
    expected = fit_learner(whole, plan, tmp_path / "whole", {})
    save = checkpoints.save_checkpoint
    calls = 0

    def cut(*given: Any) -> None:
        nonlocal calls
        save(*given)
        calls += 1
        if calls % 5 == 0:
            raise StopError

    monkeypatch.setattr(checkpoints, "save_checkpoint", cut)
    seen: list[float] = []
    for _ in range(20):
        line = Line(accuracies)
        line.seen = list(seen)
        try:
            trained = fit_learner(line, plan, tmp_path / "cut", {})
            break
        except StopError:
            seen = line.seen
    assert line.seen == whole.seen
    assert trained.rows == expected.rows
    assert torch.equal(line.module.weight, whole.module.weight)


def test_the_time_of_all_legs_counts_with_the_steps_that_were_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0

    class Slow(Line):
        """Takes ten seconds a step, and is killed after some of them."""

        def __init__(self, last: int) -> None:
            super().__init__()
            self.last = last

        def compute_loss(self, rows: np.ndarray) -> torch.Tensor:
            nonlocal now
            if len(self.seen) == self.last:
                raise StopError
            now += 10
            return super().compute_loss(rows)

    monkeypatch.setattr("rightreasons.training.loop.time.monotonic", lambda: now)
    plan = recipe(save_seconds=35)  # a checkpoint after every fourth step
    for steps in (6, 5):
        with pytest.raises(StopError):
            fit_learner(Slow(steps), plan, tmp_path / "run", {})
    trained = fit_learner(Slow(100), plan, tmp_path / "run", {})
    assert (trained.steps, trained.resumed_at) == (12, (4, 8))
    assert trained.seconds == now == 60 + 50 + 40


def test_another_runs_checkpoint_is_refused_and_the_difference_named(tmp_path: Path) -> None:
    run = {"trainer": "esim", "recipe": {"learning_rate": 0.1}, "digests": {"train": "a" * 64}}
    fit_learner(Line(), recipe(save_seconds=0), tmp_path / "run", run)
    for change, message in (
        ({"trainer": "da"}, "trainer .*esim .*da"),
        ({"trainer": "da", "reading": {"lower": True}}, "trainer .*esim .*da"),
        ({"recipe": {"learning_rate": 0.2}}, "recipe learning_rate .*0.1 .*0.2"),
        ({"digests": {"train": "b" * 64}}, "its digests train differs"),
    ):
        with pytest.raises(rr.InputError, match=message):
            fit_learner(Line(), recipe(), tmp_path / "run", run | change)


def test_a_checkpoint_of_other_first_weights_is_refused(tmp_path: Path) -> None:
    whole = fit_learner(Line(), recipe(save_seconds=0), tmp_path / "run", {"recipe": {"seed": 1}})
    other = Line()
    torch.nn.init.ones_(other.module.weight)
    with pytest.raises(rr.InputError, match="its first_weights differs"):
        fit_learner(other, recipe(), tmp_path / "run", {"recipe": {"seed": 1}})
    with pytest.raises(rr.InputError, match=r"recipe seed .*1 .*2"):
        fit_learner(other, recipe(), tmp_path / "run", {"recipe": {"seed": 2}})
    assert (
        whole.first_weights
        == checkpoints.digest_weights(Line().module)
        != checkpoints.digest_weights(other.module)
    )


@pytest.mark.parametrize(
    "spoil", [lambda whole: whole[: len(whole) // 2], lambda _: b"", lambda _: b"no zip"]
)
def test_a_spoilt_checkpoint_is_refused(spoil: Any, tmp_path: Path) -> None:
    fit_learner(Line(), recipe(save_seconds=0), tmp_path, {})
    path = tmp_path / checkpoints.FILE
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(rr.InputError, match=r"checkpoint\.pt.*Remove the folder"):
        fit_learner(Line(), recipe(), tmp_path, {})


def test_a_short_run_writes_no_checkpoint(tmp_path: Path) -> None:
    fit_learner(Line(), recipe(), tmp_path / "run", {})
    assert not (tmp_path / "run").exists()


def test_frozen_weights_are_not_kept_again(tmp_path: Path) -> None:
    line = Line()
    line.module.frozen = torch.nn.Parameter(torch.zeros(10_000), requires_grad=False)
    fit_learner(line, recipe(save_seconds=0), tmp_path, {})
    assert (tmp_path / checkpoints.FILE).stat().st_size < 20_000


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("epochs", 0, "epochs is 0.*greater than 0"),
        ("batch_size", -1, "batch_size is -1.*greater than 0"),
        ("clip", -1, "0 or more"),
        ("warmup", 2, "from 0 to 1"),
    ],
)
def test_recipes_that_train_nothing_are_refused(name: str, value: float, message: str) -> None:
    with pytest.raises(rr.InputError, match=message):
        recipe(**{name: value})
