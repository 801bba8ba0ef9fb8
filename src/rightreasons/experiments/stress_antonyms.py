"""`stress-antonyms`: which antonyms models know, and how often they occur in training contradictions (section 4.3)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.audits.antonym_counts import PAIR, count_antonym_contradictions
from rightreasons.experiments import stress_main
from rightreasons.experiments.declaration import Experiment
from rightreasons.experiments.learners import find_learner
from rightreasons.experiments.results import summarize_seeds
from rightreasons.experiments.tables import ExperimentTable
from rightreasons.io.polars_io import read_parquet
from rightreasons.reports import published
from rightreasons.reports.exhibits.published_comparison import FigureRow, FigureValue, TableHeading
from rightreasons.scoring.intervals import wilson_interval
from rightreasons.sets.stress.antonym_edits import load_curated_antonyms

if TYPE_CHECKING:
    from rightreasons.experiments.declaration import ExperimentPart, Setting, TestSet
    from rightreasons.experiments.results import ExperimentResults

ANTONYMY = "antonymy_as_released"
MODELS = ("rc", "ch")
TYPES = ("complementary", "relational", "gradable")
COLUMNS = {
    "samples": "pairs",
    "distinct": "word pairs",
    "seen": "seen in training",
    "times": "times seen, mean",
    **{kind: kind for kind in TYPES},
}
RULE = (
    "Antonym pairs grouped by which models classify them correctly: the numbers of sentence pairs and of word pairs, "
    "the proportion of the word pairs that occur in a training contradiction (one word in the premise, the other in "
    "the hypothesis), the mean number of such contradictions, and the proportions of antonym types."
)
_FIELDS = {"word": "lemma", "antonym": "antonym", "kind": "kind"}
POOLED = (
    "Both dev sets are pooled, with the pairs of the released script, since the paper's counts are based on those. "
    "Words are compared as written, in lower case."
)
SEEN = (
    "All models are trained on the same pairs, and contradictions are counted in these pairs only: with fewer pairs, "
    "fewer antonyms are seen. The proportions of antonym types are based on the word pairs in this package's list of "
    "antonyms; those in the paper are based on 100 pairs judged by hand."
)
WEAKER = (
    "The paper also says that word pairs on which only the weaker model is correct occur nearly twice as often in "
    "training as those on which only the stronger one is correct."
)


class StressAntonyms(Experiment):
    """Antonyms known and not known: section 4.3 of the paper."""

    name = "stress-antonyms"
    about = "antonyms in training contradictions, by success and failure of two models"
    models = MODELS
    paper_models = MODELS

    def test_sets(self, setting: Setting) -> list[TestSet]:  # noqa: ARG002 - the same for all models
        """The dev sets, and the antonyms of the released script."""
        antonyms = stress_main.make_stress_tests(ANTONYMY, "stress/antonymy", mode="faithful")
        return [*stress_main.list_dev_sets(), *antonyms]

    def parts(self, setting: Setting) -> list[ExperimentPart]:
        """Train all models on the same pairs; the model with the smallest limit decides their number."""
        tests = self.test_sets(setting)
        sizes = [setting.scale.count_training_pairs(find_learner(model)) for model in setting.models]
        size = min((count for count in sizes if count is not None), default=None)
        return [
            stress_main.make_stress_part(model, seed, tests, size=size)
            for model in setting.models
            for seed in setting.seeds
        ]

    def tables(self, results: ExperimentResults) -> list[ExperimentTable]:
        """Build section 4.3 as a table: a row for pairs on which all models are correct, all fail, and so on."""
        heading = TableHeading(self.name, "Antonyms known and not known: section 4.3 of the paper", RULE)
        notes = (POOLED, SEEN, WEAKER, stress_main.describe_test_sources(results))
        rows = [*_read_section_4_3(), *_make_group_rows(results)]
        table = ExperimentTable.build_with_models_as_rows(heading, COLUMNS, rows, notes)
        # The first two columns are counts and the fourth is a mean, not shares with a number of pairs each.
        formats = {**table.exhibit.formats, "c0": "count", "c1": "count", "c3": "text"}
        kept = tuple(note for note in table.exhibit.notes if not note.startswith("n "))
        return [replace(table, exhibit=replace(table.exhibit, formats=formats, notes=kept))]


def _read_section_4_3() -> list[FigureRow]:
    rows: dict[str, FigureRow] = {}
    for source, table, model, group, figure, value in (
        published.read_published_figures("stress_more")
        .filter(pl.col("table").str.starts_with("section"))
        .select("source", "table", "model", "subset", "figure", "value")
        .iter_rows()
    ):
        row = rows.setdefault(group, FigureRow(f"{model}: {group}", {}, f"{source}, {table}", "MNLI"))
        rows[group] = replace(row, values={**row.values, figure: FigureValue(value)})
    return list(rows.values())


def _make_group_rows(results: ExperimentResults) -> list[FigureRow]:
    by_seed = [_compute_groups_of_seed(results, seed) for seed in results.setting.seeds]
    models = " and ".join(results.rows)
    trained_on = results.describe_training(results.rows[0])
    weak = any(results.is_weak(row) for row in results.rows)
    return [
        FigureRow(
            f"{models}: {group}",
            _average_over_seeds([groups[group] for groups in by_seed if group in groups]),
            trained_on=trained_on,
            weak=weak,
        )
        for group in dict.fromkeys(group for groups in by_seed for group in groups)
    ]


def _compute_groups_of_seed(results: ExperimentResults, seed: int) -> dict[str, dict[str, FigureValue]]:
    """Count the pairs of each group for the models of one seed."""
    jobs = {part.learner.display_name: job for part, job in results.jobs if part.seed == seed}
    tables = []
    for split in stress_main.SPLITS:
        test = stress_main.name_stress_test(ANTONYMY, split)
        pairs = results.read_pairs(test)
        right = [results.read_predictions(job, test)["right"].alias(model) for model, job in jobs.items()]
        tables.append(pairs.select(_make_word_pair_columns()).hstack(right))
    table = pl.concat(tables)
    training = read_parquet(next(iter(jobs.values())).training.train)
    times = count_antonym_contradictions(table, training)
    whole = table.join(times, on=PAIR, how="left").with_columns(pl.col("times").fill_null(0))
    whole = whole.join(_make_kind_table(), on=PAIR, how="left", maintain_order="left")
    groups = {name: whole.filter(within) for name, within in _make_group_filters(list(jobs)).items()}
    return {name: _compute_group_figures(group) for name, group in groups.items() if group.height}


def _make_group_filters(models: list[str]) -> dict[str, pl.Expr]:
    """Define the groups of pairs: all models fail, all are correct, and, of two models, only one is."""
    right = [pl.col(model) for model in models]
    word = "both " if len(models) == 2 else "all " if len(models) > 2 else ""  # noqa: PLR2004 - two are both
    groups = {f"{word}fail": ~pl.any_horizontal(right), f"{word}right": pl.all_horizontal(right)}
    if len(models) == 2:  # noqa: PLR2004
        groups |= {
            f"only {model} right": own & ~other
            for model, own, other in zip(models, right, reversed(right), strict=True)
        }
    return groups


def _make_word_pair_columns(*columns: str) -> list[pl.Expr]:
    """Select the words of two columns in lower case, sorted."""
    words = [pl.col(column).str.to_lowercase() for column in columns or ("word", "antonym")]
    return [pl.min_horizontal(words).alias("first"), pl.max_horizontal(words).alias("second")]


def _make_kind_table() -> pl.DataFrame:
    """List the word pairs whose kind of antonymy is known, from the list judged by hand."""
    entries = [entry for several in load_curated_antonyms().values() for entry in several]
    known = pl.DataFrame(
        {name: [getattr(entry, field) for entry in entries] for name, field in _FIELDS.items()}
    )
    return known.select(*_make_word_pair_columns(), "kind").unique(PAIR, keep="first", maintain_order=True)


def _compute_group_figures(group: pl.DataFrame) -> dict[str, FigureValue]:
    words = group.unique(PAIR)
    n, distinct, seen = group.height, words.height, int((words["times"] > 0).sum())
    low, high = wilson_interval(seen, distinct)
    times = float(words["times"].mean())  # type: ignore[arg-type]
    kinds = group["kind"].drop_nulls()
    shares = {kind: int((kinds == kind).sum()) / kinds.len() for kind in TYPES} if kinds.len() else {}
    return {
        "samples": FigureValue(n, n=n),
        "distinct": FigureValue(distinct, n=distinct),
        "seen": FigureValue(seen / distinct, float(low), float(high), distinct),
        "times": FigureValue(round(times, 2), n=distinct),
        **{kind: FigureValue(share, n=kinds.len()) for kind, share in shares.items()},
    }


def _average_over_seeds(by_seed: list[dict[str, FigureValue]]) -> dict[str, FigureValue]:
    return {key: summarize_seeds([figures[key] for figures in by_seed]) for key in by_seed[0]}
