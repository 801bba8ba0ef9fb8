"""Networks start from the weights that their papers or reference codes draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

from rightreasons.nets import make_net
from rightreasons.nets.recurrent import BiLstm

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _generator() -> Iterator[None]:
    """Seed torch's generator for each test, and give it back as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def lstms_of(net: torch.nn.Module) -> list[BiLstm]:
    return [part for part in net.modules() if isinstance(part, BiLstm)]


def linears_of(net: torch.nn.Module) -> list[torch.nn.Linear]:
    return [part for part in net.modules() if isinstance(part, torch.nn.Linear)]


def deviation(weight: torch.Tensor) -> float:
    return float(weight.detach().std())


@pytest.mark.parametrize("name", ["esim", "bilstm"])
def test_forget_gates_start_open(name: str) -> None:
    lstms = lstms_of(make_net(name, "small"))
    assert len(lstms) == 2
    for lstm in lstms:
        for direction in ("", "_reverse"):
            both = getattr(lstm, f"bias_ih_l0{direction}") + getattr(lstm, f"bias_hh_l0{direction}")
            gates = both.detach().view(4, -1)
            assert gates.mean(dim=1).tolist() == [0.0, 1.0, 0.0, 0.0]
            assert gates.std(dim=1).max() == 0


def test_esim_starts_orthogonal_from_state_to_state_and_xavier_elsewhere() -> None:
    net = make_net("esim", "small")
    for lstm in lstms_of(net):
        for weight in (lstm.weight_hh_l0, lstm.weight_hh_l0_reverse):
            torch.testing.assert_close(weight.T @ weight, torch.eye(100), rtol=0, atol=1e-5)
        assert lstm.weight_ih_l0.detach().abs().max() == pytest.approx((6 / 500) ** 0.5, rel=0.01)
    for layer in linears_of(net):
        assert layer.weight.detach().abs().max() == pytest.approx(
            (6 / sum(layer.weight.shape)) ** 0.5, rel=0.02
        )
        assert layer.bias.abs().max() == 0


@pytest.mark.parametrize(("name", "options"), [("cbow", {}), ("bilstm", {"hidden": 50})])
def test_the_nyu_classifiers_start_normal_with_their_biases(name: str, options: dict[str, Any]) -> None:
    for layer in linears_of(make_net(name, "small", **options)):
        assert deviation(torch.cat([layer.weight.flatten(), layer.bias])) == pytest.approx(0.1, rel=0.15)
        assert layer.bias.abs().min() > 0


def test_da_starts_xavier_normal() -> None:
    for layer in linears_of(make_net("da", "small")):
        expected = (2 / sum(layer.weight.shape)) ** 0.5
        assert deviation(layer.weight) == pytest.approx(expected, rel=0.1)


def test_esim_drops_the_same_dimensions_at_all_words_of_a_sentence() -> None:
    net = make_net("esim", "small", dropout=0.5)
    dropped = net._drop(torch.ones(3, 6, 100))
    assert set(dropped.unique().tolist()) == {0.0, 2.0}
    assert (dropped == dropped[:, :1]).all()
    assert not torch.equal(dropped[0], dropped[1])
    assert (net.eval()._drop(torch.ones(3, 6, 100)) == 1).all()
