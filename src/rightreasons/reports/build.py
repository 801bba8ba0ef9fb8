"""From runs to a report: which exhibits it has, in which order, and the files it is written to."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from rightreasons.audits.leaks import LeakReport
from rightreasons.core import arguments
from rightreasons.core.arguments import checked_arguments
from rightreasons.core.formatting import plain
from rightreasons.core.progress import track
from rightreasons.core.slugs import slugs
from rightreasons.io.csv_injection import write_csv
from rightreasons.io.outputs import replacing, replacing_folder
from rightreasons.reports import headlines
from rightreasons.reports.asked import asked_lines
from rightreasons.reports.choice import choose
from rightreasons.reports.examples import budgets, examples_of
from rightreasons.reports.exhibits import (
    accuracy,
    calibration,
    comparison,
    costs,
    kinds,
    leaks,
    published,
    reliance,
    seeds,
    shares,
)
from rightreasons.reports.markdown import page
from rightreasons.reports.report import Report
from rightreasons.reports.takeaways import said_by
from rightreasons.runs import folder as runs
from rightreasons.runs.collection import load_runs
from rightreasons.scoring.accuracy import count_correct
from rightreasons.scoring.seeds import pool_seeds
from rightreasons.scoring.sharing import find_sharing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rightreasons.reports.exhibits.comparison import Compared
    from rightreasons.reports.exhibits.exhibit import Exhibit
    from rightreasons.reports.report import Examples, Headline
    from rightreasons.reports.takeaways import Said
    from rightreasons.runs.collection import RunCollection
    from rightreasons.runs.folder import Run
    from rightreasons.runs.results import SetResults

TABLES = "tables.csv"  # what is in a folder of tables
TITLE = "Is it right for the right reasons?"
OF_ONE_SET = (reliance, kinds, shares, calibration, published)  # after accuracies and comparisons


def build(gathered: RunCollection, patterns: Mapping[str, str] = MappingProxyType({})) -> Report:
    """Work out all that a report of some runs says; sets are read one at a time."""
    entries = seeds.entries_of(gathered, patterns)
    shares_of = budgets({place.name: place.file for place in gathered.sets})
    parts = [
        _part(gathered, gathered.results(name), entries, shares_of[name])
        for name in track(gathered.names, len(gathered.names), "reporting")
    ]
    family = comparison.family_of([part.compared for part in parts if part.compared])
    found = [LeakReport.from_dict(each) for folder in gathered.folders for each in runs.read_leaks(folder)]
    across = accuracy.across({part.name: part.scores for part in parts}, list(entries))
    across += [*seeds.across(gathered, entries), *costs.across(gathered)]
    across += [*published.across(gathered), *leaks.leak_exhibits(found)]
    judged = tuple(_headline(model, parts) for model in entries)
    return Report(
        title=_title(gathered),
        made=", ".join(dict.fromkeys(str(run.card["started"]) for run in gathered.runs)),
        headlines=judged,
        rule=headlines.RULE,
        warnings=tuple(dict.fromkeys(_warnings(gathered))),
        exhibits=(*across, *(exhibit for part in parts for exhibit in part.exhibits(family))),
        examples=tuple(part.examples for part in parts),
        asked=tuple(line for run in gathered.runs for line in asked_lines(run)),
        recipe=tuple(line for run in gathered.runs for line in recipe(run)),
        remarks=tuple(_remarks(gathered)),
        choice=(
            *choose(family, entries, judged, mixed=len(gathered.rules) > 1),
            *seeds.taken_together(entries, patterns),
        ),
    )


def write_page(report: Report, out: str | Path, *, force: bool = False) -> None:
    """Write the report as one HTML file, whole or not at all."""
    from rightreasons.reports.html.page import page as html_page

    with replacing(out, force=force) as part:
        part.write_text(html_page(report), encoding="utf-8")


def write_markdown(report: Report, out: str | Path, *, force: bool = False) -> None:
    """Write the report as markdown, for a model card or a pull request."""
    from rightreasons.reports.markdown_report import markdown_page

    with replacing(out, force=force) as part:
        part.write_text(markdown_page(report), encoding="utf-8")


def write_tables(
    report: Report, out: str | Path, form: Literal["csv", "latex"], *, force: bool = False
) -> None:
    """Write every table of a report into a folder, a file each."""
    from rightreasons.reports import renderers as forms

    write, ending = {"csv": (forms.csv, "csv"), "latex": (forms.latex, "tex")}[form]
    with replacing_folder(out, force=force, marker=TABLES) as folder:
        names = [f"{name}.{ending}" for name in slugs([exhibit.key for exhibit in report.exhibits])]
        for name, exhibit in zip(names, report.exhibits, strict=True):
            (folder / name).write_text(write(exhibit), encoding="utf-8")
        titles = [plain(exhibit.title) for exhibit in report.exhibits]
        write_csv(pl.DataFrame({"file": names, "title": titles}), folder / TABLES)


def rewrite(gathered: RunCollection, choice: Sequence[str] = ()) -> None:
    """Make the markdown page of each run anew, with what is said on the choice between its models."""
    for folder, run in zip(gathered.folders, gathered.runs, strict=True):
        runs.write_report(folder, page(run, choice))


@checked_arguments(
    folders=arguments.paths,
    out=arguments.path,
    names=arguments.names,
    patterns=arguments.names,
    force=arguments.flag,
)
def report(
    folders: str | Path | Sequence[str | Path],
    *,
    out: str | Path,
    names: Mapping[str, str] = MappingProxyType({}),
    patterns: Mapping[str, str] = MappingProxyType({}),
    force: bool = False,
) -> Report:
    """Report on runs from their files alone, into one HTML file; no model is asked."""
    made = build(load_runs(folders, names), patterns)
    write_page(made, out, force=force)
    return made


def recipe(run: Run) -> list[tuple[str, str]]:
    """Say how a run was made, so that anybody can make it again."""
    card = run.card
    lines = [("command", str(card["command"])), ("versions", _told(card["versions"]))]
    lines += [("label rule", str(card["rule"])), ("seed", str(card["seed"]))]
    for entry in card["sets"]:
        facts = {key: entry[key] for key in ("version", "options", "rows", "digest")}
        lines.append((f"set {entry['name']}", _told(facts)))
    for entry in card["models"]:
        if not entry["baseline"]:
            facts = {
                key: entry[key] for key in ("given", "options", "sources", "fingerprint") if entry.get(key)
            }
            lines.append((f"model {entry['name']}", _told(facts)))
    return lines


@dataclass(frozen=True)
class _SetSection:
    """What a report keeps of one set: scores and counts of answers by model, several runs of one model together."""

    name: str
    scores: pl.DataFrame
    said: Mapping[str, Said]
    accuracies: Sequence[Exhibit]
    compared: Compared | None
    others: Sequence[Exhibit]
    examples: Examples

    def exhibits(self, family: pl.DataFrame) -> list[Exhibit]:
        """Show the set: accuracies, comparisons of models, then the rest."""
        comparisons = self.compared.exhibits(family, wholes=True) if self.compared else []
        return [*self.accuracies, *comparisons, *self.others]


def _part(
    gathered: RunCollection, results: SetResults, entries: Mapping[str, Sequence[str]], budget: int
) -> _SetSection:
    scores, said = _scored(gathered, results)
    return _SetSection(
        results.name,
        pool_seeds(scores, entries),
        {entry: _said([said[run] for run in of if run in said]) for entry, of in entries.items()},
        accuracy.exhibits(results, entries),
        comparison.between(results, entries),
        [exhibit for part in OF_ONE_SET for exhibit in part.exhibits(results)],
        examples_of(results, budget=budget),
    )


def _scored(gathered: RunCollection, results: SetResults) -> tuple[pl.DataFrame, Mapping[str, Said]]:
    """Take the scores of a set as its only run has them, or count anew, by the same labels for all runs."""
    name = results.name
    if len(gathered.runs) == 1:
        run = gathered.runs[0]
        return run.scores_of(name), {model: said_by(run, name, model) for model in results.requested}
    shared = find_sharing(results.pairs)
    rows = [
        count_correct(results.pairs, results.predictions[model], by, shared).with_columns(
            model=pl.lit(model), by=pl.lit(",".join(by))
        )
        for model in results.requested
        for by in runs.list_groupings(results.pairs, ())
    ]
    said = {
        model: dict(results.predictions[model]["prediction"].value_counts().iter_rows())
        for model in results.requested
    }
    return pl.concat(rows, how="diagonal_relaxed"), said


def _said(runs_said: Sequence[Said]) -> Said:
    """Count the answers of a model: of its only run, or the mean over its runs."""
    if len(runs_said) == 1:
        return runs_said[0]
    words = dict.fromkeys(word for said in runs_said for word in said)
    return {word: Fraction(sum(said.get(word, 0) for said in runs_said), len(runs_said)) for word in words}


def _headline(model: str, parts: Sequence[_SetSection]) -> Headline:
    return headlines.headline(model, model, [(part.name, part.scores, part.said[model]) for part in parts])


def _remarks(gathered: RunCollection) -> list[str]:
    """Say what the sets remark on, and if runs were made by different versions."""
    told = [
        f"{place.name}: {remark}" if len(gathered.sets) > 1 else str(remark)
        for place in gathered.sets
        for remark in place.card["remarks"]
    ]
    versions = {str(run.card["versions"]["rightreasons"]) for run in gathered.runs}
    if len(versions) > 1:
        told.append(
            f"The runs were made by different versions of rightreasons: {', '.join(sorted(versions))}."
        )
    return told


def _warnings(gathered: RunCollection) -> list[str]:
    told = [text for run in gathered.runs for text in (*_of_experiment(run.card), *run.warnings)]
    if len(gathered.rules) > 1:
        told.append(
            f"The runs made two labels of three by different rules ({', '.join(gathered.rules)}): their models "
            "can't be compared. Evaluate them by the same rule."
        )
    return told


def _title(gathered: RunCollection) -> str:
    """Name the experiment, where the runs are of one: its own tables are in table.md."""
    names = {run.card.get("experiment", {}).get("name", "") for run in gathered.runs}
    return f"The experiment {names.pop()}" if len(names) == 1 and all(names) else TITLE


def _of_experiment(card: Mapping[str, Any]) -> list[str]:
    """Say about which models of an experiment nothing is claimed."""
    weak = card.get("experiment", {}).get("too_weak", [])
    chance = "Too near to chance on the kind of pairs that they were trained on"
    return [f"{chance}: {', '.join(weak)}. What is said about them below is no finding."] if weak else []


def _told(facts: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}: {value}" for key, value in facts.items())
