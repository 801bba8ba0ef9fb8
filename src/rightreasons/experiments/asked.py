"""The pairs that models are asked: a file for each test, sampled where the scale says so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rightreasons.core import options, registry
from rightreasons.core.errors import InputError
from rightreasons.core.pairs import PARSES, ChallengeSet
from rightreasons.core.progress import track
from rightreasons.corpora import write_pairs
from rightreasons.evaluation.steps import generate_set
from rightreasons.experiments.plan import files_in
from rightreasons.training.data import drop_shared_pairs
from rightreasons.training.edits import apply_edit

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from rightreasons.core.pairs import Card
    from rightreasons.experiments.plan import ExperimentPart, Test
    from rightreasons.experiments.roles import ExperimentCorpora
    from rightreasons.experiments.scales import Scale

BY_CHANCE = 0.01  # of a test: no more of it can be among the training pairs without a mistake of somebody's


@dataclass(frozen=True)
class GeneratedTest:
    """A test that was made: its file, its card, and how many pairs it was sampled from, where that is known."""

    test: Test
    file: Path
    card: Card
    of: int | None = None
    left_out: int = 0  # pairs that models are trained on


def make_tests(
    tests: Sequence[Test],
    corpora: ExperimentCorpora,
    scale: Scale,
    folder: Path,
    learnt: Mapping[str, Collection[str]] | None = None,
) -> dict[str, GeneratedTest]:
    """Make all tests and write each to its file, by name; `learnt` are the roles that those asked are trained on."""
    folder.mkdir(parents=True, exist_ok=True)
    roles = dict.fromkeys(role for names in (learnt or {}).values() for role in names)
    seen = {role: corpora.pairs(role).pairs for role in roles}
    made = {}
    for test in track(tests, len(tests), "making the tests"):
        whole, of = _made(test, corpora, _least(test.limit, scale.test_pairs))
        pairs = _unseen(test, whole, {role: seen[role] for role in (learnt or {}).get(test.name, ())})
        file = folder / f"{test.name}.parquet"
        left_out = whole.pairs.height - pairs.pairs.height
        made[test.name] = GeneratedTest(test, file, write_pairs(pairs, file, force=True), of, left_out)
    return made


def learnt_by_asked(parts: Sequence[ExperimentPart]) -> dict[str, list[str]]:
    """List, by test, the roles that the models which are asked it are trained on."""
    found: dict[str, list[str]] = {}
    for part in parts:
        for test in part.tests:
            roles = found.setdefault(test, [])
            if part.train not in roles:
                roles.append(part.train)
    return found


def _unseen(test: Test, whole: ChallengeSet, seen: Mapping[str, pl.DataFrame]) -> ChallengeSet:
    """Leave the few pairs out that are training pairs by chance, and refuse many."""
    pairs = whole.pairs
    for role, train in seen.items():
        kept = drop_shared_pairs(whole.pairs, train)
        if whole.pairs.height - kept.height > BY_CHANCE * whole.pairs.height:
            raise InputError(
                f"{whole.pairs.height - kept.height:,} of the {whole.pairs.height:,} pairs of the test {test.name} are "
                f"in the file for {role}. Give another file for one of the two, or use --allow-overlap."
            )
        pairs = drop_shared_pairs(pairs, train)
    if pairs.height == whole.pairs.height:
        return whole
    return ChallengeSet(pairs, replace(whole.card, rows=pairs.height, digest=None))


def roles_of(tests: Sequence[Test], corpora: ExperimentCorpora) -> list[str]:
    """List the roles that tests can't do without."""
    own = [test.role for test in tests if test.role and not test.set]
    given = [
        file.role
        for test in tests
        if not _reads(test, corpora)
        for value in test.options.values()
        for file in files_in(value)
    ]
    return [*own, *given]


def _reads(test: Test, corpora: ExperimentCorpora) -> bool:
    """Tell whether a test is read from a corpus, not made."""
    return bool(test.role) and (not test.set or corpora.is_given(test.role))


def _made(test: Test, corpora: ExperimentCorpora, limit: int | None) -> tuple[ChallengeSet, int | None]:
    if not _reads(test, corpora):
        return _generated(test, corpora, limit), None
    whole = corpora.pairs(test.role)
    pairs = whole.pairs
    if test.parses:
        there = [name for name in PARSES if name in pairs.columns]
        if not there:
            raise InputError(
                f"{corpora.told(test.role)} has no parses, which the test {test.name} needs. "
                "Give a file with them."
            )
        pairs = pairs.drop_nulls(there)
    if limit is not None and limit < pairs.height:
        by = "label,subcase" if "subcase" in pairs.columns else "label"
        pairs = apply_edit(pairs, f"subsample:size={limit},by={by}")
    return ChallengeSet(pairs, replace(whole.card, rows=pairs.height, digest=None)), whole.pairs.height


def _generated(test: Test, corpora: ExperimentCorpora, limit: int | None) -> ChallengeSet:
    """Make a set; where its corpus has fewer pairs than the scale allows, it has them all."""
    schema = options.schema_of(registry.set_class(test.set))
    given: dict[str, Any] = {"short": "allow"} if "short" in schema else {}
    for key, value in test.options.items():
        files = files_in(value)
        given[key] = tuple(name for file in files for name in corpora.names(file.role)) if files else value
    return generate_set(test.set, limit=limit, **given)


def _least(*numbers: int | None) -> int | None:
    return min((number for number in numbers if number is not None), default=None)
