"""Dropout stands where the papers put it, drops the share they drop, and is gone when a network answers."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
import torch
from batches import batch, random_sentences

from rightreasons.nets import NETS
from rightreasons.nets.spinn import STANFORD_SIZES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rightreasons.nets.batches import Sentences

Seen = dict[str, list[torch.Tensor]]  # what came to a layer, call by call
SIZE, WORDS = 32, 2  # pairs, and words of each sentence
SHARES = {
    "da": 0.2,
    "esim": 0.5,
    "spinn": 0.2,  # the middle of the NYU code's range
    "nb": 0.1,
    "ch": 0.5,
    "rc": 0.25,
    "infersent": 0.0,
    "bilstm": 0.5,
    "cbow": 0.5,
    "jiant": 0.2,
}
# The layers that get something dropped, and which part of what they get may be; no other layer gets a zero. A name with
# a colon is what leaves that part.
PLACES: dict[str, dict[str, float]] = {
    "da": {"attend.3": 1, "attend:": 1, "compare.3": 1, "compare:": 1, "classifier.3": 1},
    "esim": {"read": 1, "compose": 1, "classifier.1": 1, "classifier.4": 1},
    "spinn": {"classifier.2": 1, "classifier.6": 1},
    "nb": {"classifier.3": 1, "classifier.6": 1},
    # 190 numbers of a word beside 200 states, and the first layer of the classifier beside its 2,400 features
    "ch": {"layers.0": 1, "layers.1": 190 / 390, "layers.2": 190 / 390, "second": 200 / 2600, "output": 1},
    "rc": {"classifier.3": 1, "classifier.6": 1},
    "infersent": {},
    "bilstm": {"premise": 1, "hypothesis": 1, "classifier.3": 1},
    "cbow": {"classifier.7": 1},
    # Published is the classifier's, and of GLUE's baselines that the encoder drops as much; where is our choice.
    "jiant": {"encoder.onward": 1, "encoder.backward": 1, "projection": 1, "classifier.4": 1},
}
# What is dropped at all words of a sentence alike is zero in their sum or maximum, else only what all words drop.
POOLED = {"da": ["classifier.0"], "cbow": ["classifier.0"], "jiant": ["classifier.0"]}
# One mask for all words; all other places drop number by number.
BY_SENTENCE = {("esim", "read"), ("esim", "compose")}


@pytest.fixture(autouse=True)
def _generator() -> Iterator[None]:
    """Seed torch's generator for each test, and give it back as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def positive_net(name: str, **options: Any) -> Any:
    """Make a small network with the dropout of its paper, in which nothing but dropout makes a zero."""
    part = NETS[name]
    sizes = {key: value for key, value in part.small.sizes.items() if key != "dropout"}
    net = part.module(**{**sizes, **options}).double()
    with torch.no_grad():
        for parameter in net.parameters():  # with words above zero no ReLU cuts, and no LSTM is saturated
            parameter.uniform_(0.001, 0.01)
    return net


def sides(words: int = WORDS) -> list[Sentences]:
    """Make pairs without padding, whose numbers are all above zero."""
    drawn = [batch(random_sentences([words] * SIZE, 100, seed)) for seed in (1, 2)]
    return [side._replace(vectors=side.vectors.abs() + 0.01) for side in drawn]


def watched(net: torch.nn.Module, given: list[Sentences]) -> Seen:
    """Ask the network, and note what comes to each layer with weights, and what leaves each of its parts."""
    seen: Seen = defaultdict(list)
    for name, part in net.named_modules():
        if isinstance(part, torch.nn.Linear | torch.nn.LSTM):
            part.register_forward_pre_hook(lambda _part, got, name=name: seen[name].append(got[0]))
    for name, part in net.named_children():
        if isinstance(part, torch.nn.Sequential):
            part.register_forward_hook(lambda _part, _got, gave, name=name: seen[f"{name}:"].append(gave))
    net(*given)
    return seen


def zeros(seen: torch.Tensor) -> float:
    return float((seen == 0).double().mean())


def assert_dropped(seen: Seen, shares: dict[str, float]) -> None:
    """Check the share of zeros at all places, premise and hypothesis each by itself."""
    assert set(shares) <= set(seen)
    for place, calls in seen.items():
        for call in calls:
            assert zeros(call) == pytest.approx(shares.get(place, 0), rel=0.2, abs=0), place


@pytest.mark.parametrize("name", NETS)
def test_dropout_is_where_the_paper_has_it_and_as_much(name: str) -> None:
    share = SHARES[name]
    wanted = {place: share * part for place, part in PLACES[name].items()}
    wanted |= dict.fromkeys(POOLED.get(name, []), share**WORDS)
    assert_dropped(watched(positive_net(name), sides()), wanted)


def test_esim_drops_the_same_dimensions_at_all_words_of_a_sentence() -> None:
    net = positive_net("esim", dropout=0.5)
    dropped = net._drop_dimensions(torch.ones(3, 6, 100))
    assert set(dropped.unique().tolist()) == {0.0, 2.0}
    assert (dropped == dropped[:, :1]).all()
    assert not torch.equal(dropped[0], dropped[1])
    assert (net.eval()._drop_dimensions(torch.ones(3, 6, 100)) == 1).all()


@pytest.mark.parametrize("name", NETS)
def test_esim_drops_dimensions_of_a_sentence_and_all_others_single_numbers(name: str) -> None:
    seen = watched(positive_net(name), sides())
    texts = [(place, call == 0) for place, calls in seen.items() for call in calls if call.ndim == 3]
    dropped = [(place, zero) for place, zero in texts if zero.any()]
    for place, zero in dropped:  # (B, T, D)
        assert (zero != zero[:1]).any(), "each sentence has a mask of its own"
        assert bool((zero == zero[:, :1]).all()) == ((name, place) in BY_SENTENCE), place


def test_infersent_drops_before_each_layer_where_it_bends_them_and_nowhere_else() -> None:
    assert_dropped(watched(positive_net("infersent", dropout=0.5), sides()), {})
    bent = positive_net("infersent", dropout=0.5, tanh=True)
    assert_dropped(watched(bent, sides()), dict.fromkeys(("first", "second", "output"), 0.5))


def test_spinn_drops_leaves_in_the_sizes_of_its_first_paper_alone() -> None:
    for options, share in (({}, 0.0), (STANFORD_SIZES, 0.17)):  # it kept 0.83
        net, (given, _) = positive_net("spinn", **options), sides(words=1)
        assert given.forest is not None
        roots = net.compose_trees(given.vectors.flatten(0, 1), given.forest)  # of one word: the leaf itself
        assert zeros(roots) == pytest.approx(share, rel=0.2, abs=0)


def test_spinn_keeps_as_much_before_each_layer_as_its_first_paper() -> None:
    shares = dict.fromkeys(("classifier.2", "classifier.6", "classifier.10"), 0.056)  # it kept 0.944
    assert_dropped(watched(positive_net("spinn", **STANFORD_SIZES), sides()), shares)


@pytest.mark.parametrize("layers", [1, 2])
def test_jiant_drops_between_the_layers_of_both_stacks(layers: int) -> None:
    encoder = positive_net("jiant", layers=layers).encoder
    encoder.dropout = torch.nn.Identity()  # so that what is left is between the layers
    given = sides()[0]
    for one, other in zip(encoder.encode_directions(given), encoder.encode_directions(given), strict=True):
        assert torch.equal(one, other) == (layers == 1)


@pytest.mark.parametrize(
    ("name", "options"),
    [*((name, {}) for name in NETS), ("infersent", {"tanh": True}), ("spinn", {"leaf_dropout": 0.9})],
)
def test_nothing_is_dropped_when_a_network_answers(name: str, options: dict[str, Any]) -> None:
    net = positive_net(name, dropout=0.9, **options)
    none = {key: 0.0 for key in ("dropout", *options) if "dropout" in key}
    same = positive_net(name, **{**options, **none})
    same.load_state_dict(net.state_dict())
    given = sides()
    learning, answers, wanted = net(*given), net.eval()(*given), same(*given)
    torch.testing.assert_close(answers, wanted, rtol=1e-12, atol=1e-12)
    if (name, options) != ("infersent", {}):
        assert not torch.allclose(learning, wanted, rtol=1e-6)  # or the test would see no dropout at all
