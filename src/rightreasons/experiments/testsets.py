"""The test sets of an experiment: each is generated or read, sampled to the scale, and written to a file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rightreasons.core import options, registry
from rightreasons.core.errors import InputError
from rightreasons.core.pairs import PARSE_COLUMNS, ChallengeSet
from rightreasons.core.progress import track_progress
from rightreasons.corpora import write_pairs
from rightreasons.evaluation.steps import generate_set
from rightreasons.experiments.corpora import list_mixed_roles
from rightreasons.experiments.declaration import list_role_files
from rightreasons.training.data import drop_shared_pairs
from rightreasons.training.edits import apply_edit

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from rightreasons.core.pairs import Card
    from rightreasons.experiments.corpora import ExperimentCorpora
    from rightreasons.experiments.declaration import ExperimentPart, TestSet
    from rightreasons.experiments.learners import Scale

BY_CHANCE = 0.01  # of a test set: a larger overlap with the training pairs must be a mistake


@dataclass(frozen=True)
class WrittenTestSet:
    """A test set with its file and card."""

    test: TestSet
    file: Path
    card: Card
    sampled_from: int | None = None  # pairs, if known
    left_out: int = 0  # pairs that are training pairs


def write_test_sets(
    tests: Sequence[TestSet],
    corpora: ExperimentCorpora,
    scale: Scale,
    folder: Path,
    trained_on: Mapping[str, Collection[str]] | None = None,
) -> dict[str, WrittenTestSet]:
    """Write each test set to a file, by name; pairs of the roles in `trained_on` are left out."""
    folder.mkdir(parents=True, exist_ok=True)
    roles_by_test = trained_on or {}
    roles = dict.fromkeys(role for names in roles_by_test.values() for role in names)
    training_pairs = {role: corpora.read_pairs(role).pairs for role in roles}
    written = {}
    for test in track_progress(tests, len(tests), "test sets"):
        whole, sampled_from = _read_or_generate_pairs(
            test, corpora, _choose_lower_limit(test.limit, scale.test_pairs)
        )
        seen = {role: training_pairs[role] for role in roles_by_test.get(test.name, ())}
        pairs = _drop_training_pairs(test, whole, seen)
        file = folder / f"{test.name}.parquet"
        left_out = whole.pairs.height - pairs.pairs.height
        card = write_pairs(pairs, file, force=True)
        written[test.name] = WrittenTestSet(test, file, card, sampled_from, left_out)
    return written


def list_training_roles(parts: Sequence[ExperimentPart]) -> dict[str, list[str]]:
    """List, by test set, the roles that its models are trained on."""
    roles_by_test: dict[str, list[str]] = {}
    for part in parts:
        for test in part.tests:
            roles = roles_by_test.setdefault(test, [])
            roles += [role for role in list_mixed_roles(part.train) if role not in roles]
    return roles_by_test


def list_required_roles(tests: Sequence[TestSet], corpora: ExperimentCorpora) -> list[str]:
    """List the roles that test sets require."""
    read = [test.role for test in tests if test.role and not test.set]
    for_options = [
        file.role
        for test in tests
        if not _is_read_from_corpus(test, corpora)
        for value in test.options.values()
        for file in list_role_files(value)
    ]
    return [*read, *for_options]


def _drop_training_pairs(
    test: TestSet, whole: ChallengeSet, seen: Mapping[str, pl.DataFrame]
) -> ChallengeSet:
    """Drop the few pairs that are training pairs by chance; raise an error if there are many."""
    pairs = whole.pairs
    for role, train in seen.items():
        overlap = whole.pairs.height - drop_shared_pairs(whole.pairs, train).height
        if overlap > BY_CHANCE * whole.pairs.height:
            raise InputError(
                f"{overlap:,} of the {whole.pairs.height:,} pairs of the test set {test.name} are in the file for "
                f"{role}. Give another file for one of the two, or use --allow-overlap."
            )
        pairs = drop_shared_pairs(pairs, train)
    if pairs.height == whole.pairs.height:
        return whole
    return ChallengeSet(pairs, replace(whole.card, rows=pairs.height, digest=None))


def _is_read_from_corpus(test: TestSet, corpora: ExperimentCorpora) -> bool:
    """Whether a test set is read from a corpus rather than generated."""
    return bool(test.role) and (not test.set or corpora.is_given(test.role))


def _read_or_generate_pairs(
    test: TestSet, corpora: ExperimentCorpora, limit: int | None
) -> tuple[ChallengeSet, int | None]:
    if not _is_read_from_corpus(test, corpora):
        return _generate_test_set(test, corpora, limit), None
    whole = corpora.read_pairs(test.role)
    pairs = whole.pairs
    if test.parses:
        columns = [name for name in PARSE_COLUMNS if name in pairs.columns]
        if not columns:
            raise InputError(
                f"{corpora.format_file_names(test.role)} has no parses, which the test set {test.name} needs. "
                f"Give a file with parses: --corpus {test.role}=FILE."
            )
        pairs = pairs.drop_nulls(columns)
    if limit is not None and limit < pairs.height:
        by = "label,subcase" if "subcase" in pairs.columns else "label"
        pairs = apply_edit(pairs, f"subsample:size={limit},by={by}")
    return ChallengeSet(pairs, replace(whole.card, rows=pairs.height, digest=None)), whole.pairs.height


def _generate_test_set(test: TestSet, corpora: ExperimentCorpora, limit: int | None) -> ChallengeSet:
    """Generate a set; if its corpus yields fewer pairs than the limit, it has all of them."""
    schema = options.get_schema(registry.get_set_class(test.set))
    given: dict[str, Any] = {"short": "allow"} if "short" in schema else {}
    for key, value in test.options.items():
        files = list_role_files(value)
        given[key] = (
            tuple(name for file in files for name in corpora.list_corpora(file.role)) if files else value
        )
    return generate_set(test.set, limit=limit, **given)


def _choose_lower_limit(*limits: int | None) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)
