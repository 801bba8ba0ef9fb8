"""Plan a study on sets, files of pairs, or the pairs that the models of a run are most certain of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError
from rightreasons.core.progress import show_progress
from rightreasons.evaluation.study_pairs import read_study_pairs, select_top_pairs
from rightreasons.io.outputs import check_output_path, check_writable
from rightreasons.people.planning import plan_study
from rightreasons.people.protocol import load_protocol
from rightreasons.people.study import CARD, refuse_begun_study

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rightreasons.evaluation.study_pairs import StudyPairs, TopPairs
    from rightreasons.people.study import Study


def plan_study_on_sets(
    sets: Sequence[str | Path],
    *,
    protocol: str | Path,
    changes: Mapping[str, int | None],
    out: str | Path,
    seed: int,
    name: str | None,
    top: TopPairs,
    options: Mapping[str, object],
    force: bool,
    command: str,
) -> Study:
    """Plan a study on sets, and write its folder; `changes` are numbers to use instead of the protocol's."""
    loaded, content = load_protocol(
        protocol, {key: number for key, number in changes.items() if number is not None}
    )
    if force:
        refuse_begun_study(out)
    check_writable(check_output_path(out, force=force, folder=True, marker=CARD))
    read = _read_pairs(sets, top, options)
    with show_progress(label="planning the study"):
        return plan_study(
            read.pairs,
            loaded,
            content,
            out=out,
            name=name or read.name,
            seed=seed,
            sets=read.sources,
            remarks=read.remarks,
            command=command,
            force=force,
        )


def _read_pairs(sets: Sequence[str | Path], top: TopPairs, options: Mapping[str, object]) -> StudyPairs:
    if top.run is None:
        if top.by or top.models:
            given = "--top-by" if top.by else "--model"
            raise InputError(f"{given} selects pairs by the predictions of a run. Add --from RUN.")
        return read_study_pairs(sets, options)
    if not top.by:
        raise InputError(
            "--from selects pairs by their probabilities. Add --top-by, such as p_contradiction."
        )
    if options:
        raise InputError(
            f"The pairs of a run are already generated, so the option {next(iter(options))!r} can't be used with "
            "--from. Remove it."
        )
    return select_top_pairs(top, sets)
