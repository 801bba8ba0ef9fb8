"""All steps of the results of a study: read the judgements, analyse them, and write a folder of tables and pages.

The folder also has the items as a set, and the labels of people as files of predictions, so that people are scored and
compared like models.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rightreasons import __version__
from rightreasons.core.errors import format_count
from rightreasons.core.labels import LABELS
from rightreasons.core.pairs import Card, ChallengeSet
from rightreasons.core.progress import show_progress
from rightreasons.corpora.pair_files import write_pairs
from rightreasons.io.outputs import check_output_path, check_writable, write_folder_atomically
from rightreasons.io.polars_io import write_parquet
from rightreasons.people.database import hide_password
from rightreasons.people.question_labels import MAJORITY, METHODS
from rightreasons.people.results import StudyResults
from rightreasons.people.retained import describe_simulated_participants, load_judgements
from rightreasons.people.study import ITEM
from rightreasons.reports.study_report import build_study_report

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from rightreasons.people.judgements import Judgements
    from rightreasons.people.question_labels import QuestionLabels
    from rightreasons.reports.report_data import Report

CARD, PAGE, MARKDOWN = "results.json", "report.html", "report.md"
TABLES, PREDICTIONS, ITEMS = "tables", "predictions", "items.parquet"
_STUDY_COLUMNS = ("item", "kind", "stratum")


@dataclass(frozen=True)
class AnalysedStudy:
    """The results of a study, and their report."""

    results: StudyResults
    report: Report

    def list_predictions(self) -> dict[str, pl.DataFrame]:
        """List what people predict, by question and method: the majority is called by the question alone."""
        return {
            _name_predictions(labels, method): labels.make_predictions(method)
            for labels in self.results.questions
            if is_label_question(labels)
            for method in METHODS
        }

    def make_set(self) -> ChallengeSet:
        """Make a set of the items that were judged, with their gold labels and tags."""
        return make_item_set(self.results.judgements.whole, self._find_judged_items())

    def _find_judged_items(self) -> pl.Series:
        answers = self.results.judgements.retained.answers
        return answers["item"].unique()


def is_label_question(labels: QuestionLabels) -> bool:
    """Whether the choices of a question are labels, so that the answers are predictions."""
    return set(labels.question.values) <= set(LABELS)


def _name_predictions(labels: QuestionLabels, method: str) -> str:
    return labels.question.name if method == MAJORITY else f"{labels.question.name}-{method}"


def make_item_set(judgements: Judgements, items: pl.Series, name: str = "") -> ChallengeSet:
    """Make a set of some items of a study, in their order; controls are never among them."""
    study = judgements.study
    table = study.items.filter((study.items["kind"] == ITEM) & study.items["item"].is_in(items.implode()))
    pairs = table.drop(_STUDY_COLUMNS)
    empty = [column for column in pairs.columns if pairs[column].null_count() == pairs.height]
    pairs = pairs.drop(column for column in empty if column != "label")
    labels = tuple(label for label in LABELS if label in pairs["label"])
    simulated = describe_simulated_participants(judgements)
    card = Card(
        name or str(study.card["name"]),
        labels=labels,
        rows=pairs.height,
        sources={"study": study.digest},
        remarks=(simulated,) if simulated else (),
    )
    return ChallengeSet(pairs, replace(card, digest=None))


def analyse_study_folder(
    study: str | Path,
    *,
    out: str | Path | None = None,
    database: str | None = None,
    force: bool = False,
    command: str | None = None,
) -> AnalysedStudy:
    """Analyse a study and write a folder, whole or not at all; without `out`, nothing is written."""
    if out is not None:
        check_writable(check_output_path(out, force=force, folder=True, marker=CARD))
    with show_progress(label="reading judgements"):
        judgements = load_judgements(study, database)
    words = ["rightreasons", "study", "results", str(study), *(["--out", str(out)] if out else [])]
    words += ["--database", database] if database else []
    # The command is published with the results, and the URL of a database may have a password.
    shown = hide_password(command or shlex.join(words))
    return analyse_judgements(judgements, out=out, force=force, command=shown)


def analyse_judgements(
    judgements: Judgements, *, out: str | Path | None = None, force: bool = False, command: str = ""
) -> AnalysedStudy:
    """Analyse the judgements of a study, and write a folder."""
    results = StudyResults.from_judgements(judgements)
    created = datetime.now(UTC).isoformat(timespec="seconds")
    provenance = {
        "Command": command,
        "Version": f"rightreasons {__version__}",
        "SHA-256 of the study": results.study.digest,
        "Planned": str(results.study.card.get("created", "")),
        "Exclusion rules": "; ".join(results.study.protocol.exclude) or "none",
    }
    with show_progress(label="analysing"):
        report = build_study_report(results, created, provenance, tuple(_list_tie_remarks(results)))
        analysed = AnalysedStudy(results, report)
        if out is not None:
            with write_folder_atomically(out, force=force, marker=CARD) as folder:
                _write_results_folder(folder, analysed, {"command": command, "created": created})
    return analysed


def _list_tie_remarks(results: StudyResults) -> list[str]:
    """Say how many labels of the predictions are no majority."""
    remarks = []
    for labels in results.questions:
        ties = int(labels.find_ties().sum())
        if ties and is_label_question(labels):
            left = int(((labels.decide_ties() < 0) & labels.find_ties()).sum())
            remarks.append(
                f"{labels.question.name}: no majority for {format_count(ties, 'item')}. In the predictions, their "
                f"label is the tied one that the model of Dawid and Skene prefers; {left:,} stay tied without a label."
            )
        missing = int((labels.judgements == 0).sum())
        if missing:
            remarks.append(
                f"{labels.question.name}: no judgement of a retained participant for {format_count(missing, 'item')}."
            )
    return remarks


def _write_results_folder(folder: Path, analysed: AnalysedStudy, card: dict[str, Any]) -> None:
    from rightreasons.io.csv_injection import write_csv
    from rightreasons.reports.build import write_html, write_markdown
    from rightreasons.reports.table_folder import shorten_report, write_exhibit_tables

    write_html(analysed.report, folder / PAGE)
    write_exhibit_tables(analysed.report.exhibits, folder / TABLES)
    write_markdown(shorten_report(analysed.report), folder / MARKDOWN)
    (folder / PREDICTIONS).mkdir()
    for name, table in analysed.list_predictions().items():
        write_parquet(table, folder / PREDICTIONS / f"{name}.parquet")
        write_csv(table, folder / PREDICTIONS / f"{name}.csv")
    write_pairs(analysed.make_set(), folder / ITEMS)
    text = json.dumps({**card, **_describe_results(analysed.results)}, indent=2, ensure_ascii=False)
    (folder / CARD).write_text(text + "\n", encoding="utf-8")


def _describe_results(results: StudyResults) -> dict[str, Any]:
    """Describe the main figures for the card."""
    return {
        "versions": {"rightreasons": __version__},
        "study": {"name": results.study.card["name"], "digest": results.study.digest},
        "exclude": list(results.study.protocol.exclude),
        "simulated": results.simulated,
        "participants": results.groups.to_dicts(),
        "accuracy": {name: each.make_table().to_dicts() for name, each in results.accuracies.items()},
        "agreement": {
            each.question.name: {
                name: vars(getattr(each.agreement, name)) for name in ("pairwise", "fleiss", "alpha")
            }
            for each in results.questions
        },
    }
