"""A small solver: values for variables such that every two related ones go together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, TypeVar

from rightreasons.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Name = TypeVar("Name")
_MOST_STEPS = 200_000


@dataclass(frozen=True)
class Relation(Generic[Name]):
    """For each value of one variable, the values of another that go with it."""

    source: Name
    target: Name
    allowed: Mapping[int, frozenset[int]]


@dataclass
class Problem(Generic[Name]):
    """Variables with the values they may have, and relations between them in both directions."""

    values: dict[Name, set[int]]
    relations: list[Relation[Name]]

    def require_different_keys(
        self, one: Name, other: Name, keys: tuple[tuple[str, ...], tuple[str, ...]]
    ) -> None:
        """Require values with different keys."""
        for source, target, mine, theirs in ((one, other, keys[0], keys[1]), (other, one, keys[1], keys[0])):
            self.relations.append(Relation(source, target, _map_values_with_other_keys(mine, theirs)))

    def require_any_row(
        self,
        ours: Sequence[Name],
        theirs: Sequence[Name],
        pairs: Sequence[tuple[tuple[int, ...], tuple[int, ...]]],
    ) -> bool:
        """Require one of the given rows of values; a variable that stands for the row joins more than two."""
        names = (*ours, *theirs)
        rows = [(*first, *second) for first, second in pairs]
        if not rows:
            return False
        if len(names) == 2:  # noqa: PLR2004 - a relation has two ends
            self._add_relations(names[0], names[1], rows)
        else:
            for number, name in enumerate(names):
                self.values[name] &= {row[number] for row in rows}
            if len(names) > 2:  # noqa: PLR2004 - a relation has two ends
                self._add_row_variable(names, rows)
        return all(self.values[name] for name in names)

    def _add_relations(self, one: Name, other: Name, rows: Sequence[tuple[int, ...]]) -> None:
        for source, target, first, second in ((one, other, 0, 1), (other, one, 1, 0)):
            allowed: dict[int, set[int]] = {}
            for row in rows:
                allowed.setdefault(row[first], set()).add(row[second])
            self.values[source] &= set(allowed)
            self.relations.append(Relation(source, target, {n: frozenset(v) for n, v in allowed.items()}))

    def _add_row_variable(self, names: Sequence[Name], rows: Sequence[tuple[int, ...]]) -> None:
        """Add a variable whose value is the number of a row, related to each of the names."""
        joint: Name = ("row", len(self.values))  # type: ignore[assignment] # a name that no slot has
        self.values[joint] = set(range(len(rows)))
        for number, name in enumerate(names):
            self._add_relations(joint, name, [(at, row[number]) for at, row in enumerate(rows)])


@lru_cache(maxsize=64)
def _map_values_with_other_keys(
    mine: tuple[str, ...], theirs: tuple[str, ...]
) -> Mapping[int, frozenset[int]]:
    """Return, for each of some values, those of others that have another key."""
    holders: dict[str, set[int]] = {key: set() for key in mine}
    for value, key in enumerate(theirs):
        holders.setdefault(key, set()).add(value)
    everything = frozenset(range(len(theirs)))
    by_key = {key: everything - held for key, held in holders.items()}
    return {value: by_key[key] for value, key in enumerate(mine)}


def solve_problem(problem: Problem[Name]) -> dict[Name, int] | None:
    """Return values that satisfy all relations, or None where there are none."""
    near: dict[Name, list[Relation[Name]]] = {name: [] for name in problem.values}
    for relation in problem.relations:
        near[relation.source].append(relation)
    start = _remove_unsupported_values(near, dict(problem.values), list(problem.values))
    if start is None or not _has_support(near, start):
        return None
    return _search_solution(near, start)


def _has_support(near: Mapping[Name, list[Relation[Name]]], values: dict[Name, set[int]]) -> bool:
    """Return whether some value of each variable stands when followed through: most contradictions show here."""
    return all(
        any(_remove_unsupported_values(near, {**values, name: {value}}, [name]) for value in sorted(left))
        for name, left in values.items()
    )


def _remove_unsupported_values(
    near: Mapping[Name, list[Relation[Name]]], values: dict[Name, set[int]], changed: list[Name]
) -> dict[Name, set[int]] | None:
    """Remove values without a partner until nothing changes (arc consistency); None if a variable has no value left."""
    while changed:
        source = changed.pop()
        for relation in near[source]:
            target = values[relation.target]
            partners = _find_supported_values(relation, values[source], target)
            if len(partners) < len(target):
                if not partners:
                    return None
                values[relation.target] = partners
                changed.append(relation.target)
    return values


def _find_supported_values(relation: Relation[Name], sources: set[int], target: set[int]) -> set[int]:
    partners: set[int] = set()
    for value in sources:
        partners |= target & relation.allowed.get(value, frozenset())
        if len(partners) == len(target):
            break
    return partners


def _search_solution(
    near: Mapping[Name, list[Relation[Name]]], start: dict[Name, set[int]]
) -> dict[Name, int] | None:
    stack = [start]
    for _ in range(_MOST_STEPS):
        if not stack:
            return None
        values = stack.pop()
        open_names = [name for name, left in values.items() if len(left) > 1]
        if not open_names:
            return {name: next(iter(left)) for name, left in values.items()}
        name = min(open_names, key=lambda one: len(values[one]))
        first = min(values[name])
        rest = _remove_unsupported_values(near, {**values, name: values[name] - {first}}, [name])
        chosen = _remove_unsupported_values(near, {**values, name: {first}}, [name])
        stack += [branch for branch in (rest, chosen) if branch is not None]
    raise InputError(
        "Two templates are too similar to check for collisions in reasonable time. Use words that differ more."
    )
