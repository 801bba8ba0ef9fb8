"""From runs to a `Report`: which exhibits it has, in which order, and the files it is written to."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from rightreasons.audits.leaks import LeakReport
from rightreasons.core.formatting import make_slugs, replace_unprintable
from rightreasons.core.progress import track_progress
from rightreasons.io.csv_injection import write_csv
from rightreasons.io.outputs import write_atomically, write_folder_atomically
from rightreasons.reports.choice import recommend_models
from rightreasons.reports.exhibits import accuracy, accuracy_drops, comparison, leaks, published, seeds
from rightreasons.reports.exhibits.calibration import make_calibration_tables
from rightreasons.reports.exhibits.errors import make_error_tables
from rightreasons.reports.exhibits.prompt_sensitivity import make_prompt_tables
from rightreasons.reports.exhibits.reliance import make_reliance_tables
from rightreasons.reports.exhibits.shares import make_share_tables
from rightreasons.reports.exhibits.training_data import (
    make_training_overview,
    make_training_tables,
    read_training_audits,
)
from rightreasons.reports.headlines import RULE, make_headline
from rightreasons.reports.html.pairs import divide_page_bytes, select_example_pairs
from rightreasons.reports.provenance import describe_model_runs, list_reproduction_facts
from rightreasons.reports.report_data import Report
from rightreasons.reports.takeaways import get_predicted_label_counts
from rightreasons.runs import folder as runs
from rightreasons.runs.collection import MIXED_RULES
from rightreasons.scoring.seeds import pool_run_scores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rightreasons.audits.training_audit import TrainingAudit
    from rightreasons.core.exhibit import Exhibit
    from rightreasons.reports.exhibits.comparison import SetComparisons
    from rightreasons.reports.report_data import Examples, Headline
    from rightreasons.reports.takeaways import LabelCounts
    from rightreasons.runs.collection import RunCollection
    from rightreasons.runs.set_results import SetResults

TABLES = "tables.csv"  # what is in a folder of tables
TITLE = "Is it right for the right reasons?"
# The tables of a set, after its accuracies and comparisons.
SET_TABLES = (
    make_reliance_tables,
    make_error_tables,
    make_share_tables,
    make_calibration_tables,
    published.make_published_tables,
)


def build_report(
    collection: RunCollection, patterns: Mapping[str, str] = MappingProxyType({}), *, examples: bool = True
) -> Report:
    """Build the report of some runs, which every renderer shows; sets are read one at a time.

    `patterns` maps names to patterns of models that are runs of one model. Without `examples`, no pairs are selected
    for the pairs viewer of the HTML page.
    """
    entries = seeds.group_runs_into_entries(collection, patterns)
    trained = read_training_audits(collection.folders)
    room = divide_page_bytes({place.name: place.file for place in collection.sets}) if examples else {}
    sections = [
        _build_set_section(collection, collection.load_set_results(name), entries, room.get(name), trained)
        for name in track_progress(collection.set_names, len(collection.set_names), "reporting")
    ]
    family = comparison.join_and_correct_comparisons(
        [section.compared for section in sections if section.compared]
    )
    leaked = [LeakReport.from_dict(each) for folder in collection.folders for each in runs.read_leaks(folder)]
    headlines = tuple(_make_model_headline(model, sections) for model in entries)
    return Report(
        title=_make_report_title(collection),
        created=", ".join(dict.fromkeys(str(run.card["started"]) for run in collection.runs)),
        headlines=headlines,
        rule=RULE,
        warnings=tuple(dict.fromkeys(_list_report_warnings(collection))),
        exhibits=(
            *accuracy.make_overview_tables(
                {section.name: section.scores for section in sections}, list(entries)
            ),
            *make_prompt_tables(collection.runs),
            *seeds.make_seed_tables(collection, entries),
            *accuracy_drops.make_accuracy_drop_tables(collection),
            *published.make_published_overviews(collection),
            *leaks.make_leak_tables(leaked),
            *make_training_overview(trained),
            *(exhibit for section in sections for exhibit in section.list_exhibits(family)),
        ),
        examples=tuple(section.examples for section in sections if section.examples),
        model_notes=tuple(line for run in collection.runs for line in describe_model_runs(run)),
        provenance=tuple(line for run in collection.runs for line in list_reproduction_facts(run)),
        remarks=tuple(_list_report_remarks(collection)),
        choice=(
            *recommend_models(family, entries, headlines, mixed=len(collection.label_rules) > 1),
            *seeds.describe_pooled_runs(entries, patterns),
        ),
    )


def write_html(report: Report, out: str | Path, *, force: bool = False) -> None:
    """Write the report as one HTML file, whole or not at all."""
    from rightreasons.reports.html.page import render_html

    with write_atomically(out, force=force) as part:
        part.write_text(render_html(report), encoding="utf-8")


def write_markdown(report: Report, out: str | Path, *, force: bool = False) -> None:
    """Write the report as markdown, for a model card or a pull request."""
    from rightreasons.reports.renderers import render_markdown_report

    with write_atomically(out, force=force) as part:
        part.write_text(render_markdown_report(report), encoding="utf-8")


def write_tables(
    report: Report, out: str | Path, form: Literal["csv", "latex"], *, force: bool = False
) -> None:
    """Write every table of a report into a folder, one file each."""
    from rightreasons.reports.renderers import render_csv, render_latex

    render, ending = {"csv": (render_csv, "csv"), "latex": (render_latex, "tex")}[form]
    with write_folder_atomically(out, force=force, marker=TABLES) as folder:
        names = [f"{name}.{ending}" for name in make_slugs([exhibit.key for exhibit in report.exhibits])]
        for name, exhibit in zip(names, report.exhibits, strict=True):
            (folder / name).write_text(render(exhibit), encoding="utf-8")
        titles = [replace_unprintable(exhibit.title) for exhibit in report.exhibits]
        write_csv(pl.DataFrame({"file": names, "title": titles}), folder / TABLES)


@dataclass(frozen=True)
class _SetSection:
    """What a report keeps of one set: scores and predicted labels by model, several runs of one model together."""

    name: str
    scores: pl.DataFrame
    predicted: Mapping[str, LabelCounts]
    accuracies: Sequence[Exhibit]
    compared: SetComparisons | None
    others: Sequence[Exhibit]
    examples: Examples | None

    def list_exhibits(self, family: pl.DataFrame) -> list[Exhibit]:
        """List the tables of the set: accuracies, pairwise comparisons, then the others."""
        comparisons = self.compared.make_comparison_exhibits(family, wholes=True) if self.compared else []
        return [*self.accuracies, *comparisons, *self.others]


def _build_set_section(
    collection: RunCollection,
    results: SetResults,
    entries: Mapping[str, Sequence[str]],
    room: int | None,
    trained: Mapping[Path, TrainingAudit],
) -> _SetSection:
    """Build the part of the report on one set; without room for them, it has no examples."""
    # The scores of a single run are known; several are scored again, with the same labels for all.
    alone = len(collection.runs) == 1
    scored = accuracy.score_set(results, collection.runs[0].get_scores(results.name) if alone else None)
    predicted = {
        model: _count_predicted_labels(collection, results, model) for model in results.requested_models
    }
    return _SetSection(
        results.name,
        pool_run_scores(scored.scores, entries),
        {
            entry: _average_label_counts([predicted[run] for run in of if run in predicted])
            for entry, of in entries.items()
        },
        accuracy.make_accuracy_tables(scored, entries),
        comparison.compare_runs_between_models(results, entries),
        [
            *(exhibit for build in SET_TABLES for exhibit in build(results)),
            *make_training_tables(results, trained),
        ],
        None if room is None else select_example_pairs(results, budget=room),
    )


def _count_predicted_labels(collection: RunCollection, results: SetResults, model: str) -> LabelCounts:
    if len(collection.runs) == 1:
        return get_predicted_label_counts(collection.runs[0], results.name, model)
    return dict(results.predictions[model]["prediction"].value_counts().iter_rows())


def _average_label_counts(counts: Sequence[LabelCounts]) -> LabelCounts:
    """Average the counts of the predicted labels over the runs of a model."""
    if len(counts) == 1:
        return counts[0]
    labels = dict.fromkeys(label for each in counts for label in each)
    return {label: Fraction(sum(each.get(label, 0) for each in counts), len(counts)) for label in labels}


def _make_model_headline(model: str, sections: Sequence[_SetSection]) -> Headline:
    return make_headline(model, [(each.name, each.scores, each.predicted[model]) for each in sections])


def _list_report_remarks(collection: RunCollection) -> list[str]:
    """List the remarks of the sets, and whether the runs were created with different versions."""
    remarks = [
        f"{place.name}: {remark}" if len(collection.sets) > 1 else str(remark)
        for place in collection.sets
        for remark in place.card["remarks"]
    ]
    versions = {str(run.card["versions"]["rightreasons"]) for run in collection.runs}
    if len(versions) > 1:
        remarks.append(
            f"The runs were created with different versions of rightreasons: {', '.join(sorted(versions))}."
        )
    return remarks


def _list_report_warnings(collection: RunCollection) -> list[str]:
    warnings = [text for run in collection.runs for text in (*_warn_of_weak_models(run.card), *run.warnings)]
    if len(collection.label_rules) > 1:
        warnings.append(MIXED_RULES.format(", ".join(collection.label_rules)))
    return warnings


def _make_report_title(collection: RunCollection) -> str:
    """Name the experiment, where the runs are of one: its own tables are in table.md."""
    names = {run.card.get("experiment", {}).get("name", "") for run in collection.runs}
    return f"The experiment {names.pop()}" if len(names) == 1 and all(names) else TITLE


def _warn_of_weak_models(card: Mapping[str, Any]) -> list[str]:
    """Name the models of an experiment that are too weak for any claim."""
    weak = card.get("experiment", {}).get("too_weak", [])
    near = "Near chance even on in-distribution pairs"
    return [f"{near}: {', '.join(weak)}. Disregard the verdicts on these models."] if weak else []
