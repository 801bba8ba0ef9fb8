"""Templates that can yield the same pair twice, or one pair with two labels: found without making the pairs.

Two patterns are laid side by side. Every slot of either is a variable, its entries are the values; where two slots
stand at the same place their entries must show the same text, and no two slots of one pattern may hold the same key.
A solution is a pair that both patterns yield.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError
from rightreasons.templates.constraint_solver import Problem, solve_problem
from rightreasons.templates.text_patterns import Pattern, PatternBuilder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rightreasons.templates.grammar import Grammar, Variant
    from rightreasons.templates.text_patterns import ChunkRun

_MOST_SHOWN = 5
# A slot of the first (0) or the second (1) pattern.
Variable = tuple[int, int]


@dataclass(frozen=True)
class Collision:
    """A pair or premise that two sub-variants, or two ranks of one sub-variant, both generate."""

    first: Variant
    second: Variant
    premise: str
    hypothesis: str | None = None

    def __str__(self) -> str:
        """Describe which templates collide, and on which pair."""
        one, other = self.first.source.template, self.second.source.template
        twice = "twice" if one.label == other.label else f"with two labels, {one.label} and {other.label}"
        names = f"{self.first.name} (line {one.line}) and {self.second.name} (line {other.line})"
        pair = f"{self.premise!r} / {self.hypothesis!r}"
        return f"the templates {names} both generate {pair}, so the pair would occur {twice}"


def check_collisions(grammar: Grammar, style: str | None = None) -> None:
    """Refuse a grammar whose templates collide, in a style of text or in its own."""
    collisions = list(itertools.islice(find_collisions(grammar, style), _MOST_SHOWN))
    if collisions:
        line = collisions[0].first.source.template.line
        descriptions = "; ".join(str(collision) for collision in collisions)
        raise InputError(
            f"{grammar.document.place}, line {line}: {descriptions}. Change the templates so that they differ."
        )


def check_shared_premises(grammar: Grammar, style: str | None = None) -> None:
    """Refuse a grammar in which two frames generate the same premise, so that splits may share premises."""
    groups: dict[object, list[Pattern]] = {}
    for pattern in _list_patterns(grammar, style):
        groups.setdefault(pattern.lengths[0], []).append(pattern)
    for first, second in _list_pattern_pairs(groups.values()):
        if first.variant.frame == second.variant.frame:
            continue
        collision = _find_collision(grammar, first, second, sides=(0,))
        if collision:
            one, other = collision.first.source.template, collision.second.source.template
            raise InputError(
                f"{grammar.document.place}, line {other.line}: the templates {collision.first.name} "
                f"(line {one.line}) and {collision.second.name} both generate the premise {collision.premise!r} "
                "from different word lists, so the premise may be in both splits. "
                "Use the same lists in both templates, or -o disjoint=pair."
            )


def find_collisions(grammar: Grammar, style: str | None = None) -> Iterator[Collision]:
    """Find a pair for every two sub-variants that can say the same, and for one that can say it twice."""
    groups: dict[object, list[Pattern]] = {}
    for pattern in _list_patterns(grammar, style):
        groups.setdefault(pattern.lengths, []).append(pattern)
    seen: set[tuple[str, str]] = set()
    for first, second in _list_pattern_pairs(groups.values()):
        names = (first.variant.name, second.variant.name)
        if names not in seen:
            collision = (
                _find_repeat_in_pattern(grammar, first)
                if first is second
                else _find_collision(grammar, first, second)
            )
            if collision:
                seen.add(names)
                yield collision


def _list_patterns(grammar: Grammar, style: str | None) -> Iterator[Pattern]:
    patterns = PatternBuilder(grammar, style or grammar.document.text)
    for variant in grammar.variants:
        if variant.source.weight > 0:
            yield from patterns.build_patterns(variant)


def _list_pattern_pairs(groups: Iterable[Sequence[Pattern]]) -> Iterator[tuple[Pattern, Pattern]]:
    for group in groups:
        yield from itertools.combinations_with_replacement(group, 2)


def _find_collision(
    grammar: Grammar, first: Pattern, second: Pattern, sides: tuple[int, ...] = (0, 1)
) -> Collision | None:
    """Find words that make both patterns say the same."""
    if not _may_overlap(first, second, sides):
        return None
    problem = _build_constraint_problem(grammar, first, second, sides)
    solution = solve_problem(problem) if problem else None
    return None if solution is None else _build_collision(first, second, sides, solution)


def _find_repeat_in_pattern(grammar: Grammar, pattern: Pattern) -> Collision | None:
    """Find two ranks of one pattern that say the same: at some place they show the same by different entries."""
    for run in (*pattern.runs[0], *pattern.runs[1]):
        alike: dict[tuple[str, ...], list[tuple[int, ...]]] = {}
        for draw, chunks in run.chunks.items():
            alike.setdefault(chunks, []).append(draw)
        for draws in alike.values():
            for one, other in itertools.combinations(draws, 2):
                collision = _find_repeated_pair(grammar, pattern, run.slots, one, other)
                if collision:
                    return collision
    return None


def _find_repeated_pair(
    grammar: Grammar, pattern: Pattern, slots: tuple[int, ...], one: tuple[int, ...], other: tuple[int, ...]
) -> Collision | None:
    """Fill the other slots of a pattern around two draws that look alike."""
    problem = _build_constraint_problem(grammar, pattern, pattern, (0, 1))
    if problem is None:
        return None
    for side, draw in enumerate((one, other)):
        for slot, entry in zip(slots, draw, strict=True):
            problem.values[side, slot] &= {entry}
    solution = solve_problem(problem)
    return None if solution is None else _build_collision(pattern, pattern, (0, 1), solution)


def _may_overlap(first: Pattern, second: Pattern, sides: tuple[int, ...]) -> bool:
    """Return whether at every place there is a chunk that both patterns can have."""
    for side in sides:
        chunks = [_list_possible_chunks(pattern.runs[side]) for pattern in (first, second)]
        if any(not one & other for one, other in zip(*chunks, strict=True)):
            return False
    return True


def _list_possible_chunks(runs: Sequence[ChunkRun]) -> list[frozenset[str]]:
    places: list[frozenset[str]] = []
    for run in runs:
        places += [frozenset(chunks) for chunks in zip(*run.chunks.values(), strict=True)]
    return places


def _build_constraint_problem(
    grammar: Grammar, first: Pattern, second: Pattern, sides: tuple[int, ...]
) -> Problem[Variable] | None:
    """State which entries go together; None where fixed text alone forbids it."""
    problem: Problem[Variable] = Problem({}, [])
    for number, pattern in enumerate((first, second)):
        lists = grammar.get_slot_lists(pattern.variant)
        used = {slot for side in sides for run in pattern.runs[side] for slot in run.slots}
        for slot in sorted(used):
            problem.values[number, slot] = set(range(len(lists[slot])))
        if grammar.document.distinct:
            for one, other in itertools.combinations(sorted(used), 2):
                keys = (lists[one].keys, lists[other].keys)
                if set(keys[0]) & set(keys[1]):
                    problem.require_different_keys((number, one), (number, other), keys)
    for side in sides:
        for spans in _align_runs(first.runs[side], second.runs[side]):
            if not _require_same_text(problem, spans):
                return None
    return problem


def _align_runs(
    first: Sequence[ChunkRun], second: Sequence[ChunkRun]
) -> Iterator[tuple[list[ChunkRun], list[ChunkRun]]]:
    """Cut two rows of runs at the places where runs of both end."""
    left, right = list(first), list(second)
    while left:
        ours, theirs = [left.pop(0)], [right.pop(0)]
        while (end := _get_end_position(ours)) != (other := _get_end_position(theirs)):
            (ours if end < other else theirs).append((left if end < other else right).pop(0))
        yield ours, theirs


def _get_end_position(runs: Sequence[ChunkRun]) -> int:
    return runs[-1].start + runs[-1].length


def _require_same_text(problem: Problem[Variable], spans: tuple[list[ChunkRun], list[ChunkRun]]) -> bool:
    """Require that what two spans of runs show is the same."""
    tables = []
    for number, runs in enumerate(spans):
        slots = tuple(dict.fromkeys(slot for run in runs for slot in run.slots))
        draws_by_text: dict[tuple[str, ...], list[tuple[int, ...]]] = {}
        for draws in itertools.product(*(run.chunks.items() for run in runs)):
            drawn = [
                pair
                for run, (draw, _) in zip(runs, draws, strict=True)
                for pair in zip(run.slots, draw, strict=True)
            ]
            held = dict(drawn)
            if any(held[slot] != entry for slot, entry in drawn):
                continue
            chunks = tuple(itertools.chain.from_iterable(chunks for _, chunks in draws))
            draws_by_text.setdefault(chunks, []).append(tuple(held[slot] for slot in slots))
        tables.append((tuple((number, slot) for slot in slots), draws_by_text))
    (ours, first), (theirs, second) = tables
    pairs = [(a, b) for chunks in first if chunks in second for a in first[chunks] for b in second[chunks]]
    return problem.require_any_row(ours, theirs, pairs)


def _build_collision(
    first: Pattern, second: Pattern, sides: tuple[int, ...], solution: dict[Variable, int]
) -> Collision:
    texts = []
    for side in sides:
        chunks = [run.chunks[tuple(solution[0, slot] for slot in run.slots)] for run in first.runs[side]]
        texts.append(" ".join(itertools.chain.from_iterable(chunks)))
    return Collision(first.variant, second.variant, *texts)
