"""The spelling of words as CH reads it, and the input gates that weigh its states."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from batches import batch, random_net, random_sentences

from rightreasons.nets import make_net
from rightreasons.nets.gated_attention import (
    FILTER_WIDTHS,
    GatedAttention,
    LetterEncoder,
    compute_input_gates,
)


def spelled(*words: str, longest: int = 0) -> torch.Tensor:
    """Spell words as one sentence: a is 1, b is 2 and so on."""
    length = max(longest, *map(len, words))
    return torch.tensor([[[ord(letter) - 96 for letter in word.ljust(length, "`")] for word in words]])


@pytest.fixture
def letters() -> LetterEncoder:
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return LetterEncoder(letters=30, size=4, filters=7)


def by_hand(part: LetterEncoder, word: str) -> np.ndarray:
    """Slide every filter over one word, whole windows only; a shorter word is filled up with zeros."""
    table = part.table.weight.detach().numpy()
    answers = []
    for width, filters in zip(FILTER_WIDTHS, part.filters, strict=True):
        rows = [table[ord(letter) - 96] for letter in word]
        rows += [np.zeros(table.shape[1])] * (width - len(rows))
        weights = filters.weight.detach().numpy()  # (F, size, width)
        windows = [
            np.einsum("fsw,ws->f", weights, rows[at : at + width]) for at in range(len(rows) - width + 1)
        ]
        answers.append(np.maximum(np.max(windows, axis=0), 0))
    return np.concatenate(answers)


@pytest.mark.parametrize("word", ["a", "of", "the", "that", "whale", "whales", "extraordinary"])
def test_a_word_gets_the_strongest_answer_of_its_own_windows(letters: LetterEncoder, word: str) -> None:
    given = letters(spelled(word))[0, 0].detach().numpy()
    np.testing.assert_allclose(given, by_hand(letters, word), atol=1e-6)


def test_a_longer_word_beside_it_changes_nothing(letters: LetterEncoder) -> None:
    alone = [letters(spelled(word))[0, 0] for word in ("a", "cat", "judges")]
    together = letters(spelled("a", "cat", "judges", "incomprehensibilities"))[0, :3]
    torch.testing.assert_close(together, torch.stack(alone))


def test_padding_of_letters_changes_nothing(letters: LetterEncoder) -> None:
    torch.testing.assert_close(letters(spelled("judge", "a", longest=30)), letters(spelled("judge", "a")))


def test_each_word_stands_at_its_own_place(letters: LetterEncoder) -> None:
    pair = torch.cat([spelled("cat", "dog", "cat"), spelled("dog", "emu", "cat")])
    given = letters(pair)
    assert torch.equal(given[0, 0], given[0, 2])
    assert torch.equal(given[0, 0], given[1, 2])
    assert torch.equal(given[0, 1], given[1, 0])
    assert not torch.equal(given[0, 0], given[0, 1])


def test_a_place_without_letters_is_zero(letters: LetterEncoder) -> None:
    assert torch.equal(letters(torch.zeros(2, 3, 6, dtype=torch.int64)), torch.zeros(2, 3, 21))


def test_the_input_gates_are_those_of_the_cell_itself() -> None:
    net = random_net("ch")
    assert isinstance(net, GatedAttention)
    lstm = net.layers[0]
    given = batch(random_sentences([7, 1, 4], 190), padding=2)
    gates = compute_input_gates(lstm, given.vectors, lstm(given.vectors, given.lengths))
    for row, length in enumerate(given.lengths.tolist()):
        words = given.vectors[row, :length]
        torch.testing.assert_close(gates[row, :length, :100], stepwise(lstm, "", words))
        torch.testing.assert_close(
            gates[row, :length, 100:], stepwise(lstm, "_reverse", words.flip(0)).flip(0)
        )


def stepwise(lstm: torch.nn.Module, direction: str, words: torch.Tensor) -> torch.Tensor:
    """Run one direction step by step and keep its input gates."""
    w_x, w_h, b_x, b_h = (
        getattr(lstm, f"{part}_l0{direction}") for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    state = cell = words.new_zeros(w_h.shape[1])
    gates = []
    for word in words:
        i, f, g, o = (w_x @ word + b_x + w_h @ state + b_h).chunk(4)
        gates.append(i.sigmoid())
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        state = o.sigmoid() * cell.tanh()
    return torch.stack(gates)


def test_sentences_without_letters_are_refused() -> None:
    net = random_net("ch")
    given = batch(random_sentences([3], 100))
    with pytest.raises(ValueError, match="spelling"):
        net(given._replace(letters=None), given)


def test_literally_padding_is_a_word_of_zeros_for_the_maximum() -> None:
    corrected, literal = random_net("ch"), random_net("ch", literal=True)
    given = batch(random_sentences([6, 2], 100))
    plain, padded = (
        corrected.encode_sentences(given)[:, 200:400],
        literal.encode_sentences(given)[:, 200:400],
    )  # between mean and gates
    torch.testing.assert_close(padded[0], plain[0])
    torch.testing.assert_close(padded[1], plain[1].clamp(min=0))
    assert (plain[1] < 0).any()


def test_the_first_weights_are_those_of_the_paper_s_code() -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        net = make_net(
            "ch", width=40, filters=20, hidden=100, classifier=50
        )  # 40 + 3 * 20: as wide as hidden
    state = net.state_dict()
    for name, value in state.items():
        if "bias" in name:
            assert (value == 0).all(), name
        elif "weight_hh" in name or name.startswith("layers.0.weight_ih"):
            for gate in value.chunk(4):
                torch.testing.assert_close(gate @ gate.T, torch.eye(100), atol=1e-4, rtol=0)
        else:
            assert 0.008 < value.std() < 0.012, name
    assert (state["letters.table.weight"][0] == 0).all()
