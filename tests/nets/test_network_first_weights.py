"""Networks start from the weights that their papers or reference codes draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

from rightreasons.nets import make_net
from rightreasons.nets.layers import BiLstmEncoder

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _generator() -> Iterator[None]:
    """Seed torch's generator for each test, and give it back as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def lstms_of(net: torch.nn.Module) -> list[BiLstmEncoder]:
    return [part for part in net.modules() if isinstance(part, BiLstmEncoder)]


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


def assert_drawn_as_torch_does(part: torch.nn.Linear | torch.nn.LSTM) -> None:
    """Check that all weights, biases too, are uniform within one over the root of a layer's inputs, or units."""
    bound = (part.in_features if isinstance(part, torch.nn.Linear) else part.hidden_size) ** -0.5
    drawn = [weight.detach().flatten() / bound for weight in part.parameters()]
    for values in drawn:
        assert values.any()
        assert values.abs().max() <= 1
    whole = torch.cat(drawn)
    assert whole.abs().max() > 0.98
    assert float(whole.mean()) == pytest.approx(0, abs=0.1)
    assert deviation(whole) == pytest.approx(3**-0.5, rel=0.1)
    if isinstance(part, torch.nn.LSTM):  # few beside the matrices, which would hide them
        biases = torch.cat([weight for weight in drawn if len(weight) == 4 * part.hidden_size])
        assert deviation(biases) == pytest.approx(3**-0.5, rel=0.05)


# The papers of NB, RC and jiant say nothing of these layers, InferSent's code leaves all to torch.
@pytest.mark.parametrize(
    ("name", "linears", "lstms"), [("nb", 3, 3), ("rc", 3, 1), ("infersent", 3, 1), ("jiant", 3, 3)]
)
def test_what_a_paper_leaves_open_starts_as_torch_draws_it(name: str, linears: int, lstms: int) -> None:
    parts = [part for part in make_net(name, "small").modules() if isinstance(part, torch.nn.LSTM)]
    layers = [layer for layer in linears_of(make_net(name, "small")) if layer.bias is not None]
    assert (len(layers), len(parts)) == (linears, lstms)
    for part in [*layers, *parts]:
        assert_drawn_as_torch_does(part)


def test_the_attention_of_rc_starts_uniform_within_one_over_the_root_of_its_size() -> None:
    net = make_net("rc", classifier=3)
    matrices = [layer.weight.detach() for layer in linears_of(net) if layer.bias is None]
    assert [tuple(matrix.shape) for matrix in matrices] == [(600, 600), (600, 600), (1, 600)] * 2
    for matrix in matrices:
        assert matrix.abs().max() <= 600**-0.5
        assert deviation(matrix) == pytest.approx((3 * 600) ** -0.5, rel=0.05)
    assert not torch.equal(net.premise.states.weight, net.hypothesis.states.weight)


def test_the_norm_of_jiant_starts_without_scaling_and_shifting() -> None:
    (norm,) = [part for part in make_net("jiant", "small").modules() if isinstance(part, torch.nn.LayerNorm)]
    assert (norm.weight == 1).all()
    assert (norm.bias == 0).all()


def test_one_seed_gives_jiant_one_encoder_whatever_stands_on_top() -> None:
    # An encoder that is never trained must be the same one each time that it is made.
    forms: list[dict[str, Any]] = [{}, {"attention": False}, {"classifier": 7, "frozen": True, "labels": 2}]
    encoders = []
    for options in forms:
        torch.manual_seed(5)
        encoders.append(make_net("jiant", "small", **options).encoder.state_dict())
    for encoder in encoders[1:]:
        assert all(torch.equal(encoder[part], weight) for part, weight in encoders[0].items())
    torch.manual_seed(6)
    other = make_net("jiant", "small").encoder.state_dict()
    assert not torch.equal(other["onward.weight_ih_l0"], encoders[0]["onward.weight_ih_l0"])
