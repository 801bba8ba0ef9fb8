"""A validated set: the items of a study on which enough participants agree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import TooFewPairsError, format_count
from rightreasons.corpora.pair_files import write_pairs
from rightreasons.evaluation.study_results import make_item_set
from rightreasons.io.outputs import check_output_path
from rightreasons.people.keep_rules import count_kept_items, parse_keep_rule
from rightreasons.people.question_labels import QuestionLabels
from rightreasons.people.retained import apply_exclusions, load_judgements

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.core.pairs import ChallengeSet
    from rightreasons.people.judgements import Judgements


@dataclass(frozen=True)
class KeptItems:
    """The items that a rule keeps, as a set, of how many that were judged."""

    kept: ChallengeSet
    judged: int


def keep_study_items(
    study: str | Path, rule: str, *, out: str | Path, database: str | None = None, force: bool = False
) -> KeptItems:
    """Write the items of a study that a rule keeps as a set with a card, whole or not at all."""
    parse_keep_rule(rule)
    check_output_path(out, force=force)
    found = select_kept_items(load_judgements(study, database), rule)
    write_pairs(found.kept, out, force=force)
    return found


def select_kept_items(judgements: Judgements, rule: str) -> KeptItems:
    """Select the items that a rule keeps, after the planned exclusions."""
    parsed = parse_keep_rule(rule)
    exclusions = apply_exclusions(judgements)
    labels = {
        question.name: QuestionLabels.from_judgements(exclusions.retained, question)
        for question in judgements.study.protocol.questions
        if question.kind == "choice"
    }
    chosen = parsed.select(labels, judgements.study.protocol.judgements)
    kept, judged = count_kept_items(labels, chosen)
    if not kept:
        raise TooFewPairsError(
            f"No item of the study fulfils the rule {rule!r}. Use a rule that asks for less."
        )
    items = next(iter(labels.values())).items["item"].filter(pl.Series(chosen))
    study = judgements.study
    made = make_item_set(judgements, items, f"{study.card['name']}-kept")
    excluded = exclusions.excluded["participant"].n_unique()
    remark = (
        f"Kept from the study {study.card['name']!r} by the rule {rule!r}: {kept:,} of "
        f"{format_count(judged, 'judged item')}. {format_count(excluded, 'participant')} excluded as planned."
    )
    return KeptItems(replace(made, card=replace(made.card, remarks=(remark, *made.card.remarks))), judged)
