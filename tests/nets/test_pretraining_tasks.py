"""The encoder that is trained before its network, and the tasks it is trained on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
import torch
from batches import batch, random_net, random_sentences, weights_of
from reference_jiant import logits as by_equations

from rightreasons.nets.jiant import Encoder, Jiant
from rightreasons.nets.pretraining import NO_TARGET, CaptionGrounding, LanguageModel, Tagging

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.nets.batches import Sentences

WIDTH, HIDDEN = 6, 5
JIANT = {"width": WIDTH, "hidden": HIDDEN, "projection": 7, "after": 4, "classifier": 8}


def seeded(make: Any, seed: int = 0, **options: Any) -> Any:
    """Make a module with torch's generator at a seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return make(**options)


def small_encoder(seed: int = 0) -> Encoder:
    encoder: Encoder = seeded(Encoder, seed, width=WIDTH, hidden=HIDDEN).double().eval()
    return encoder


def sentences(lengths: Sequence[int] = (3, 7, 1), seed: int = 0, padding: int = 0) -> Sentences:
    return batch(random_sentences(lengths, WIDTH, seed), padding)


def goals(lengths: Sequence[int], kinds: int, columns: int) -> torch.Tensor:
    """Number the words of sentences 0, 1, 2, ... round and round, NOTHING past the end."""
    rows = [
        [(7 * row + at) % kinds if at < length else NO_TARGET for at in range(columns)]
        for row, length in enumerate(lengths)
    ]
    return torch.tensor(rows)


def test_neither_direction_sees_the_word_it_has_to_guess() -> None:
    model = seeded(LanguageModel, encoder=small_encoder(), words=11).double()
    whole = sentences((7, 7))
    following, preceding = model.compute_logits(whole)
    for place in range(7):
        changed = whole.vectors.clone()
        changed[:, place] += 1
        ahead, behind = model.compute_logits(whole._replace(vectors=changed))
        assert torch.equal(ahead[:, :place], following[:, :place])  # what stands before the change
        assert not torch.isclose(ahead[:, place:], following[:, place:]).all(dim=2).any()
        assert torch.equal(behind[:, place + 1 :], preceding[:, place + 1 :])
        assert not torch.isclose(behind[:, : place + 1], preceding[:, : place + 1]).all(dim=2).any()


def test_the_language_model_s_loss_is_the_mean_of_both_directions() -> None:
    lengths = (3, 7, 1)
    model, given = seeded(LanguageModel, encoder=small_encoder(), words=11).double(), sentences(lengths)
    words = goals(lengths, 11, 7)
    ahead, behind = (logits.log_softmax(dim=2) for logits in model.compute_logits(given))
    steps = [(row, at) for row, length in enumerate(lengths) for at in range(length - 1)]
    onward = sum(-ahead[row, at, words[row, at + 1]] for row, at in steps) / len(steps)
    backward = sum(-behind[row, at + 1, words[row, at]] for row, at in steps) / len(steps)
    torch.testing.assert_close(model(given, words), (onward + backward) / 2)


def test_a_word_without_a_number_is_not_asked_for() -> None:
    model, given = seeded(LanguageModel, encoder=small_encoder(), words=11).double(), sentences((3,))
    words = torch.tensor([[4, NO_TARGET, 5]])
    ahead, behind = (logits.log_softmax(dim=2) for logits in model.compute_logits(given))
    torch.testing.assert_close(model(given, words), -(ahead[0, 1, 5] + behind[0, 1, 4]) / 2)


def test_sentences_of_one_word_teach_a_language_model_nothing() -> None:
    model = seeded(LanguageModel, encoder=small_encoder(), words=11).double()
    loss = model(sentences((1, 1)), torch.tensor([[1], [2]]))
    loss.backward()
    assert loss.item() == 0


def test_the_tagging_loss_is_the_mean_over_the_tagged_words() -> None:
    lengths = (3, 7, 1)
    task, given = seeded(Tagging, encoder=small_encoder(), tags=4).double(), sentences(lengths)
    tags = goals(lengths, 4, 7)
    chances = task.compute_logits(given).log_softmax(dim=2)
    losses = [-chances[row, at, tags[row, at]] for row, length in enumerate(lengths) for at in range(length)]
    torch.testing.assert_close(task(given, tags), sum(losses) / len(losses))


@pytest.mark.parametrize("task", ["tagging", "words", "ranking", "regression"])
def test_padding_changes_no_loss(task: str) -> None:
    lengths = (3, 7, 2)
    model, goal = make_task(task, lengths)
    wider = goal if goal.is_floating_point() else torch.nn.functional.pad(goal, (0, 4), value=NO_TARGET)
    torch.testing.assert_close(model(sentences(lengths, padding=4), wider), model(sentences(lengths), goal))


@pytest.mark.parametrize("task", ["tagging", "words", "ranking", "regression"])
def test_every_task_trains_the_whole_encoder(task: str) -> None:
    model, goal = make_task(task, (3, 7, 2))
    model(sentences((3, 7, 2)), goal).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        assert parameter.grad.abs().max() > 0, name


@pytest.mark.parametrize("task", ["tagging", "words", "ranking", "regression"])
def test_every_task_is_learnt(task: str) -> None:
    lengths = (3, 7, 2)
    model, goal = make_task(task, lengths)
    given, optimiser = sentences(lengths), torch.optim.Adam(model.parameters(), 0.05)
    before = model(given, goal).item()
    for _ in range(40):
        optimiser.zero_grad()
        loss = model(given, goal)
        loss.backward()
        optimiser.step()
    assert loss.item() < 0.3 * before


def make_task(name: str, lengths: Sequence[int]) -> tuple[Any, torch.Tensor]:
    """Make a task with a goal for each sentence of these lengths."""
    encoder, columns = small_encoder(), max(lengths)
    if name == "tagging":
        return seeded(Tagging, encoder=encoder, tags=4).double(), goals(lengths, 4, columns)
    if name == "words":
        return seeded(LanguageModel, encoder=encoder, words=11).double(), goals(lengths, 11, columns)
    images = seeded(torch.randn, 1, size=(len(lengths), 8), dtype=torch.float64)
    return seeded(CaptionGrounding, encoder=encoder, features=8, loss=name).double(), images


def test_captions_of_one_image_are_no_wrong_answers_to_each_other() -> None:
    task, images = make_task("ranking", (3, 7, 2))
    same = images[:1].expand(3, -1)
    assert task(sentences(), same).item() == 0
    assert task(sentences(), images).item() > 0


def test_the_ranking_loss_is_a_margin_of_cosines() -> None:
    task, images = make_task("ranking", (3, 7))
    guesses = task.predict_features(sentences((3, 7)))

    def cosine(row: int, image: int) -> float:
        return torch.nn.functional.cosine_similarity(guesses[row], images[image], dim=0).item()

    hinges = [
        max(0.0, 0.2 + cosine(*wrong) - cosine(own, own))
        for own, wrong in [(0, (0, 1)), (1, (1, 0)), (0, (1, 0)), (1, (0, 1))]
    ]
    assert math.isclose(task(sentences((3, 7)), images).item(), sum(hinges) / 4, rel_tol=1e-9)


def test_the_encoder_is_the_same_with_one_seed_whatever_stands_on_it() -> None:
    alone = seeded(Encoder, 5, width=WIDTH, hidden=HIDDEN).state_dict()
    for attention in (True, False):
        for frozen in (True, False):
            net = seeded(Jiant, 5, **JIANT, attention=attention, frozen=frozen)
            for name, value in net.encoder.state_dict().items():
                assert torch.equal(value, alone[name]), name
    other = seeded(Encoder, 6, width=WIDTH, hidden=HIDDEN).state_dict()
    assert not any(torch.equal(value, alone[name]) for name, value in other.items())


def test_without_attention_the_wiring_is_right_too() -> None:
    net = random_net("jiant", attention=False)
    premises, hypotheses = random_sentences([5, 1, 8], 100, 1), random_sentences([2, 6, 3], 100, 2)
    given = net(batch(premises), batch(hypotheses)).detach()
    torch.testing.assert_close(given, torch.from_numpy(by_equations(weights_of(net), premises, hypotheses)))


def test_a_frozen_encoder_keeps_its_weights_and_the_rest_learns() -> None:
    net = seeded(Jiant, 5, **JIANT, frozen=True).double()
    before = {name: value.clone() for name, value in net.state_dict().items()}
    optimiser = torch.optim.Adam([one for one in net.parameters() if one.requires_grad], 0.1)
    net(sentences((3, 7)), sentences((4, 2))).log_softmax(dim=1)[:, 0].sum().backward()
    optimiser.step()
    changed = {name for name, value in net.state_dict().items() if not torch.equal(value, before[name])}
    assert changed == {name for name in before if not name.startswith("encoder.")}


def test_weights_are_carried_over_from_a_task_to_the_network() -> None:
    task, _ = make_task("tagging", (3,))
    net = seeded(Jiant, 9, **JIANT).double().eval()
    given = sentences()
    assert not torch.allclose(net.encoder(given), task.encoder(given))
    net.encoder.load_state_dict(task.encoder.state_dict())
    assert torch.equal(net.encoder(given), task.encoder(given))
