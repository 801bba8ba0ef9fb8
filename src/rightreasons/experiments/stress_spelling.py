"""`stress-spelling`: four kinds of misspelling (Table 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.experiments import stress
from rightreasons.experiments.plan import Experiment
from rightreasons.experiments.tables import TableHeading, lying, published_notes
from rightreasons.reports import published
from rightreasons.scoring.accuracy import ALL

if TYPE_CHECKING:
    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.experiments.plan import ExperimentPart, Setting, Test
    from rightreasons.experiments.tables import ExperimentTable, Value

SPELLING = "spelling_each"
MODELS = ("nb", "ch", "rc", "infersent")
LITERAL = (
    "The paper takes the character path of CH for the reason that misspellings do it no harm. In CH's released code, a "
    "word outside the training vocabulary is spelt as the unknown marker, so that the path sees nothing of it; here it "
    "sees the word. At the scale of the paper, CH is trained in both ways."
)


def tests(setting: Setting) -> list[Test]:  # noqa: ARG001 - the same for all models
    """Ask the dev sets, and each with one word misspelt in four ways."""
    return [*stress.devs(), *stress.made(SPELLING, "stress/spelling", variant="each")]


def parts(setting: Setting) -> list[ExperimentPart]:
    """Train each model on MultiNLI; CH also with the mistake of its released code, at the scale of the paper."""
    asked = tests(setting)
    found = [stress.part(model, seed, asked) for model in setting.models for seed in setting.seeds]
    if setting.scale.name == "paper" and "ch" in setting.models:
        literal = {"of": "as released", "options": {"literal": True}}
        found += [stress.part("ch", seed, asked, **literal) for seed in setting.seeds]
    return found


def tables(found: ExperimentResults) -> list[ExperimentTable]:
    """Show Table 8, and the dev sets beside it."""
    columns = {stress.column(published.DEV, split): f"dev, {stress.SHORT[split]}" for split in stress.SPLITS}
    columns |= {
        stress.column(kind, split): f"{kind.replace('_', ' ')}, {stress.SHORT[split]}"
        for kind in published.VARIANTS
        for split in stress.SPLITS
    }
    ours = [found.line(row, _cells(found, row)) for row in found.rows]
    rows = [row for row in published.rows("stress", ["3"]) if row.split]
    dev = [row._replace(values={published.DEV: row.values[published.DEV]}) for row in rows]
    eight = published.rows("stress", ["8"])
    has = {row.model for row in eight}
    paper = stress.printed([*(row for row in dev if row.model in has), *eight], cited="Tables 3 and 8")
    caption = (
        "Accuracy by the kind of misspelling: letters swapped, keys missed, in content or function words "
        f"{stress.ENDS}."
    )
    heading = TableHeading("stress-spelling", "Misspelt words: Table 8 of the paper", caption)
    notes = (stress.NAMES, stress.made_from(found), *published_notes("stress", ["8"], published.VARIANTS))
    return [lying(heading, columns, [*paper, *ours], notes)]


def _cells(found: ExperimentResults, row: str) -> dict[str, Value]:
    cells = {}
    for split in stress.SPLITS:
        cells[stress.column(published.DEV, split)] = found.accuracy(row, stress.dev_name(split))
        figures = found.values(row, stress.name(SPELLING, split), "subcase")
        for kind, place in published.VARIANTS.items():
            if (place.value, ALL) in figures:
                cells[stress.column(kind, split)] = figures[place.value, ALL]
    return cells


EXPERIMENT = Experiment(
    "stress-spelling",
    "four kinds of misspelling",
    tests,
    parts,
    tables,
    models=stress.beside(MODELS),
    paper_models=MODELS,
    notes=(stress.CORRECTED, LITERAL),
)
