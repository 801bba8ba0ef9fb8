"""Sets whose slots may have some of their words only."""

from __future__ import annotations

import numpy as np
import pytest
from small_sets import grammar_of, read_grammar, set_text, subcase, template

from rightreasons.core.errors import InputError, TooFewPairsError
from rightreasons.templates.split_shares import SplitShares
from rightreasons.templates.word_restriction import (
    COUNTED,
    SeatSelection,
    WordRestriction,
    estimate_restricted_room,
)

WORDS = {"N": "dog cat bird horse", "V": "saw heard met liked", "W": "ran slept"}
PAIR = template("The {N1} {V1} the {N2}.", "The {N2} {V1} the {N1}.")
TWO = template("The {N1} {V1} the {N2} and {V2} the {N3}.", "The {N1} {V2} the {N3}.")


def restrict(words: str) -> tuple[WordRestriction, object]:
    grammar = grammar_of(WORDS, TWO)
    (variant,) = grammar.variants
    mask = np.array([word in words.split() for word in WORDS["V"].split()])
    slots = {variant.slots.index(name): mask for name in ("V1", "V2")}
    return WordRestriction.from_grammar(grammar, [slots]), grammar


def test_the_share_of_allowed_pairs_is_exact() -> None:
    restriction, grammar = restrict("saw met")
    (variant,) = grammar.variants  # type: ignore[attr-defined]
    every = np.arange(variant.space.count)
    marks = restriction.mark_allowed(variant, every)
    # Two of four verbs in both slots, which never have the same verb: 2 of 12 orders.
    assert restriction.get_share(variant) == marks.mean() == 2 / 12
    assert SplitShares(grammar, "eval", {}, restriction).count_pairs(variant) == marks.sum()  # type: ignore[arg-type]


def test_rooms_of_both_splits_are_all_allowed_pairs() -> None:
    restriction, grammar = restrict("saw met")
    (variant,) = grammar.variants  # type: ignore[attr-defined]
    rooms = [
        SplitShares(grammar, split, {}, restriction).get_stratum(variant).room  # type: ignore[arg-type]
        for split in ("eval", "train")
    ]
    assert sum(rooms) == restriction.mark_allowed(variant, np.arange(variant.space.count)).sum()
    assert min(rooms) > 0


def test_sub_variants_without_allowed_words_are_left_out() -> None:
    text = set_text(WORDS, subcase("a", PAIR), subcase("b", template("The {N1} {W1}.", "A {N1} {W1}.", "w")))
    grammar = read_grammar(text)
    restriction = WordRestriction.from_grammar(grammar, [None, {}])
    shares = SplitShares(grammar, "eval", {}, restriction)
    assert shares.list_groups("a") == []
    assert shares.count_subcase_pairs("a") == 0
    assert [group[0].subcase for group in shares.list_groups("b")] == ["b"]
    assert shares.count_subcase_pairs("b") == SplitShares(grammar, "eval", {}).count_subcase_pairs("b")


def test_bundles_are_refused() -> None:
    hypotheses = {
        "one": {"hypothesis": "A {N1} {V1}.", "label": "neutral"},
        "other": {"hypothesis": "A {N1}.", "label": "neutral"},
    }
    grammar = grammar_of(WORDS, {"name": "b", "premise": "The {N1} {V1}.", "hypotheses": hypotheses})
    assert all(variant.bundle for variant in grammar.variants)
    with pytest.raises(InputError, match="bundles"):
        WordRestriction.from_grammar(grammar, [{}, {}])


def test_large_rooms_are_estimated_from_below() -> None:
    (variant,) = grammar_of(WORDS, TWO).variants
    room = 8 * COUNTED
    estimate = estimate_restricted_room(variant, room, 0.25)
    assert 0.98 * room / 4 < estimate < room / 4
    assert estimate_restricted_room(variant, room, 1e-9) == 0


def test_seats_are_found_in_order_whatever_was_requested_before() -> None:
    restriction, grammar = restrict("saw met heard")
    (variant,) = grammar.variants  # type: ignore[attr-defined]
    count = variant.space.count

    def find_ranks(_: object, seats: np.ndarray) -> np.ndarray:
        return (seats * 5 + 3) % count if np.gcd(5, count) == 1 else seats

    expected = np.flatnonzero(restriction.mark_allowed(variant, find_ranks(variant, np.arange(count))))
    for requests in ([[0, 1], [50, 2]], [[50, 2, 0, 1]], [[len(expected) - 1]]):
        selection = SeatSelection(restriction, find_ranks, lambda _: count)
        for seats in requests:
            found = selection.find_allowed_seats(variant, np.array(seats))
            assert found.tolist() == expected[seats].tolist()
    selection = SeatSelection(restriction, find_ranks, lambda _: count)
    assert selection.find_allowed_seats(variant, np.array([], dtype=np.int64)).tolist() == []
    with pytest.raises(TooFewPairsError, match=variant.name):
        selection.find_allowed_seats(variant, np.array([len(expected)]))
