"""From runs to a report: which exhibits it has, in which order, and the files it is written to."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from rightreasons import runs
from rightreasons.audits.leak_report import Leaked
from rightreasons.gathering import gather
from rightreasons.outputs import replacing, replacing_folder
from rightreasons.progress import track
from rightreasons.reports import headlines
from rightreasons.reports.asked import asked_lines
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

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rightreasons.gathering import Gathered, GatheredModel
    from rightreasons.reports.exhibits.exhibit import Exhibit
    from rightreasons.reports.report import Headline
    from rightreasons.runs import Run

TITLE = "Is it right for the right reasons?"
OF_ONE_SET = (accuracy, comparison, reliance, kinds, shares, calibration, published)


def build(gathered: Gathered, patterns: Mapping[str, str] = MappingProxyType({})) -> Report:
    """Work out all that a report of some runs says; sets are read one at a time."""
    of_sets: list[Exhibit] = []
    examples = []
    shares_of = budgets({place.name: place.file for place in gathered.sets})
    for name in track(gathered.names, len(gathered.names), "reporting"):
        results = gathered.results(name)
        of_sets += [exhibit for part in OF_ONE_SET for exhibit in part.exhibits(results)]
        examples.append(examples_of(results, budget=shares_of[name]))
    found = [Leaked.from_dict(each) for folder in gathered.folders for each in runs.read_leaks(folder)]
    across = [*accuracy.across(gathered), *seeds.across(gathered, patterns), *costs.across(gathered)]
    across += [*published.across(gathered), *leaks.leak_exhibits(found)]
    return Report(
        title=TITLE,
        made=", ".join(dict.fromkeys(str(run.card["started"]) for run in gathered.runs)),
        headlines=tuple(_headline(gathered, model) for model in gathered.models if not model.baseline),
        rule=headlines.RULE,
        warnings=tuple(dict.fromkeys([*_warnings(gathered), *_leak_warnings(found)])),
        exhibits=tuple(across + of_sets),
        examples=tuple(examples),
        asked=tuple(line for run in gathered.runs for line in asked_lines(run)),
        recipe=tuple(line for run in gathered.runs for line in recipe(run)),
        remarks=tuple(_remarks(gathered)),
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
    from rightreasons.reports import forms

    write, ending = {"csv": (forms.csv, "csv"), "latex": (forms.latex, "tex")}[form]
    with replacing_folder(out, force=force) as folder:
        for exhibit in report.exhibits:
            (folder / f"{exhibit.key}.{ending}").write_text(write(exhibit), encoding="utf-8")


def rewrite(gathered: Gathered) -> None:
    """Make the markdown page of each run anew."""
    for folder, run in zip(gathered.folders, gathered.runs, strict=True):
        runs.write_report(folder, page(run))


def report(
    folders: Sequence[str | Path],
    *,
    out: str | Path,
    names: Mapping[str, str] = MappingProxyType({}),
    patterns: Mapping[str, str] = MappingProxyType({}),
    force: bool = False,
) -> Report:
    """Report on runs from their files alone, into one HTML file; no model is asked."""
    made = build(gather(folders, names), patterns)
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


def _headline(gathered: Gathered, model: GatheredModel) -> Headline:
    run = gathered.runs[gathered.folders.index(model.folder)]
    return headlines.headline_of(run, model.card["name"], model.name)


def _remarks(gathered: Gathered) -> list[str]:
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


def _warnings(gathered: Gathered) -> list[str]:
    return [text for run in gathered.runs for text in run.warnings]


def _leak_warnings(found: Sequence[Leaked]) -> list[str]:
    """Warn of sets that have pairs of the training file."""
    both = pl.col("what").is_in(["pair", "swapped pair"])
    return [one.sentence for one in found if one.table.filter(both)["any"].sum()]


def _told(facts: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}: {value}" for key, value in facts.items())
