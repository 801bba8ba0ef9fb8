"""The sizes of the networks are those of their papers; no memory is taken to count them."""

from __future__ import annotations

import pytest
import torch

from rightreasons.core.errors import UnknownNameError
from rightreasons.nets import NETS, count_parameters, make_net
from rightreasons.nets.spinn import STANFORD_SIZES

PUBLISHED = {  # millions, without word vectors
    "da": 0.342,
    "esim": 4.33,
    "spinn": 0.63,
    "nb": 140.2,
    "ch": 46.5,
    "rc": 11.7,
    "infersent": 47.2,
    "bilstm": 3.61,
    "cbow": 0.542,
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_default_sizes_are_those_of_the_paper(name: str) -> None:
    assert count_parameters(name) == pytest.approx(PUBLISHED[name] * 1e6, rel=0.01)


@pytest.mark.parametrize("name", NETS)
def test_a_declaration_has_the_number_of_parameters(name: str) -> None:
    assert NETS[name].parameters == (count_parameters(name), count_parameters(name, "small"))


def test_jiant_is_smaller_than_a_usual_stack_by_what_its_directions_do_not_see_of_each_other() -> None:
    usual, after = (
        torch.nn.LSTM(300, 1024, 2, bidirectional=True),
        torch.nn.LSTM(1024, 512, bidirectional=True),
    )
    recurrent = sum(weight.numel() for lstm in (usual, after) for weight in lstm.parameters())
    assert recurrent == pytest.approx(42e6, rel=0.01)  # what is published counts the LSTMs alone
    apart = 2 * 4 * 1024 * 1024  # the second layer of each direction reads 1,024 numbers, not 2,048
    head = (300 + 2048 + 1) * 512 + (4 * 1024 + 1) * 512 + 2 * 512 + (512 + 1) * 3
    assert count_parameters("jiant") == recurrent - apart + head


def test_spinn_has_the_sizes_of_its_first_paper_too() -> None:
    assert count_parameters("spinn", **STANFORD_SIZES) == pytest.approx(3.36e6, rel=0.01)


@pytest.mark.parametrize("name", NETS)
def test_a_small_preset_is_the_same_net_with_fewer_parameters(name: str) -> None:
    small = make_net(name, "small")
    assert type(small) is NETS[name].module
    count = sum(parameter.numel() for parameter in small.parameters())
    assert count == count_parameters(name, "small") < count_parameters(name) / 2


@pytest.mark.parametrize("name", NETS)
def test_counting_draws_nothing(name: str) -> None:
    before = torch.random.get_rng_state()
    count_parameters(name, "small")
    assert torch.equal(torch.random.get_rng_state(), before)


def test_an_unknown_network_is_named_with_its_neighbour() -> None:
    with pytest.raises(UnknownNameError, match="esim"):
        count_parameters("esin")
