"""Losses: the algebra of each, written out in numpy."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from rightreasons.training import debiasing as losses  # noqa: E402 - torch may be missing
from rightreasons.training.debiasing import make_debiased_loss  # noqa: E402

CHANCE = np.random.default_rng(0)
LOGITS = CHANCE.normal(size=(7, 3))
BIAS = CHANCE.normal(size=(7, 3))
TEACHER = CHANCE.normal(size=(7, 3))
GOLD = np.array([0, 1, 2, 2, 1, 0, 1])
ROWS = np.arange(7)


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def tensors(*arrays: np.ndarray) -> list[torch.Tensor]:
    return [torch.from_numpy(array) for array in arrays]


def log_bias() -> torch.Tensor:
    return torch.from_numpy(np.log(softmax(BIAS)))


def test_reweighting_takes_what_the_bias_model_leaves() -> None:
    weights = 1 - softmax(BIAS)[ROWS, GOLD]
    expected = -(weights * np.log(softmax(LOGITS)[ROWS, GOLD])).mean()
    logits, gold = tensors(LOGITS, GOLD)
    assert losses.reweighted_loss(logits, gold, log_bias()).item() == pytest.approx(expected)


def test_the_product_of_experts_multiplies_probabilities() -> None:
    product = softmax(LOGITS) * softmax(BIAS)
    expected = -np.log((product / product.sum(axis=1, keepdims=True))[ROWS, GOLD]).mean()
    logits, gold = tensors(LOGITS, GOLD)
    assert losses.product_of_experts_loss(logits, gold, log_bias()).item() == pytest.approx(expected)


def test_confidence_raises_the_teacher_to_what_the_bias_model_leaves() -> None:
    powers = 1 - softmax(BIAS)[ROWS, GOLD]
    raised = softmax(TEACHER) ** powers[:, None]
    targets = raised / raised.sum(axis=1, keepdims=True)
    expected = -(targets * np.log(softmax(LOGITS))).sum(axis=1).mean()
    logits, gold, teacher = tensors(LOGITS, GOLD, np.log(softmax(TEACHER)))
    found = losses.compute_confidence_targets(teacher, gold, log_bias())
    assert np.allclose(found.numpy(), targets)
    assert losses.distillation_loss(logits, found).item() == pytest.approx(expected)


def test_a_teacher_is_believed_where_the_bias_model_is_wrong_and_not_where_it_is_right() -> None:
    gold, teacher = torch.tensor([0, 0]), torch.log(torch.tensor([[0.7, 0.2, 0.1]] * 2))
    bias = torch.log(torch.tensor([[1e-9, 0.5, 0.5], [1.0, 1e-9, 1e-9]]))
    found = losses.compute_confidence_targets(teacher, gold, bias)
    assert found[0].tolist() == pytest.approx([0.7, 0.2, 0.1])
    assert found[1].tolist() == pytest.approx([1 / 3] * 3)


def test_a_bias_model_that_knows_nothing_changes_nothing() -> None:
    even = torch.full((7, 3), -np.log(3))
    logits, gold = tensors(LOGITS, GOLD)
    logits.requires_grad_()
    slopes = {}
    for name, loss in (
        ("plain", losses.cross_entropy(logits, gold)),
        ("poe", losses.product_of_experts_loss(logits, gold, even)),
        ("reweight", losses.reweighted_loss(logits, gold, even)),
    ):
        (slopes[name],) = torch.autograd.grad(loss, logits)
    assert torch.allclose(slopes["poe"], slopes["plain"])
    assert torch.allclose(slopes["reweight"], slopes["plain"] * 2 / 3)


def test_a_loss_looks_up_its_own_rows() -> None:
    logits, gold = tensors(LOGITS, GOLD)
    some = torch.tensor([5, 2])
    for method, loss in (("reweight", losses.reweighted_loss), ("poe", losses.product_of_experts_loss)):
        made = make_debiased_loss(method, log_bias(), gold)  # type: ignore[arg-type]
        expected = loss(logits[some], gold[some], log_bias()[some])
        assert torch.equal(made(logits[some], gold[some], some), expected)
