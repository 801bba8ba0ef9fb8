"""`stress-antonyms`: which antonyms models know, and how often these stand in training contradictions (section 4.3)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.labels import CONTRADICTION
from rightreasons.experiments import stress
from rightreasons.experiments.found import over_seeds
from rightreasons.experiments.plan import Experiment
from rightreasons.experiments.tables import FigureRow, TableHeading, Value, lying
from rightreasons.io.polars_io import read_parquet
from rightreasons.reports import published
from rightreasons.scoring.intervals import wilson
from rightreasons.sets.stress.antonym_edits import load_curated_antonyms

if TYPE_CHECKING:
    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.experiments.plan import ExperimentPart, Setting, Test
    from rightreasons.experiments.tables import ExperimentTable

ANTONYMY = "antonymy_as_released"
PAIR = ["first", "second"]  # the two words in lower case, in the order of the alphabet
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
    "Antonym pairs by who is right about them: how many pairs of sentences and of words there are, the share of the "
    "word pairs that stand in a training contradiction, one word in the premise and the other in the hypothesis, the "
    "mean number of such contradictions, and the shares of the kinds of antonyms."
)
_FIELDS = {"word": "lemma", "antonym": "antonym", "kind": "kind"}
TAKEN = (
    "Both dev sets are taken together, with the pairs that the released script makes, since the paper's counts are of "
    "those. Words count as they are written, in lower case."
)
SEEN = (
    "All models are trained on the same pairs, and contradictions are counted among these: the fewer pairs, the fewer "
    "antonyms are seen. The shares of kinds are of the word pairs whose kind this package's list of antonyms has; the "
    "paper's are of 100 pairs that were judged by hand."
)
WEAKER = (
    "The paper also says that word pairs which only the weaker model is right about are met nearly twice as often in "
    "training as those which only the stronger one is right about."
)


def tests(setting: Setting) -> list[Test]:  # noqa: ARG001 - the same for all models
    """Ask the dev sets, and the antonyms as the released script makes them."""
    return [*stress.devs(), *stress.made(ANTONYMY, "stress/antonymy", mode="faithful")]


def parts(setting: Setting) -> list[ExperimentPart]:
    """Train all models on the same pairs: as many as the one gets that gets fewest."""
    asked = tests(setting)
    sizes = [setting.scale.pairs(stress.part(model, 0, asked).learner) for model in setting.models]
    size = min((one for one in sizes if one is not None), default=None)
    return [stress.part(model, seed, asked, size=size) for model in setting.models for seed in setting.seeds]


def tables(found: ExperimentResults) -> list[ExperimentTable]:
    """Show section 4.3 as a table: a row for pairs that all models are right about, that all fail, and so on."""
    counted = [_counted(found, seed) for seed in found.setting.seeds]
    who = " and ".join(found.rows)
    ours = [
        FigureRow(
            f"{who}: {group}", _over([one[group] for one in counted if group in one]), trained_on=trained
        )
        for group in dict.fromkeys(group for one in counted for group in one)
        for trained in [found.trained_on(found.rows[0])]
    ]
    weak = any(found.weak(row) for row in found.rows)
    lines = [*_printed(), *(replace(line, weak=weak) for line in ours)]
    heading = TableHeading("stress-antonyms", "Antonyms known and not known: section 4.3 of the paper", RULE)
    made = lying(heading, COLUMNS, lines, (TAKEN, SEEN, WEAKER, stress.made_from(found)))
    formats = {**made.exhibit.formats, "c0": "count", "c1": "count", "c3": "text"}
    notes = tuple(note for note in made.exhibit.notes if not note.startswith("n "))
    return [replace(made, exhibit=replace(made.exhibit, formats=formats, notes=notes))]


def _printed() -> list[FigureRow]:
    lines: dict[str, FigureRow] = {}
    for source, table, model, group, figure, value in (
        published.figures("stress_more")
        .filter(pl.col("table").str.starts_with("section"))
        .select("source", "table", "model", "subset", "figure", "value")
        .iter_rows()
    ):
        line = lines.setdefault(group, FigureRow(f"{model}: {group}", {}, f"{source}, {table}", "MNLI"))
        lines[group] = replace(line, values={**line.values, figure: Value(value)})
    return list(lines.values())


def _counted(found: ExperimentResults, seed: int) -> dict[str, dict[str, Value]]:
    """Count the pairs of each group, for the models of one seed."""
    chosen = {part.learner.shown: (part, job) for part, job in found.jobs if part.seed == seed}
    tables = []
    for split in stress.SPLITS:
        test = stress.name(ANTONYMY, split)
        pairs = found.pairs(test)
        right = [found.answers(job, test)["right"].alias(shown) for shown, (_, job) in chosen.items()]
        tables.append(pairs.select(_word_pair()).hstack(right))
    table = pl.concat(tables)
    _, job = next(iter(chosen.values()))
    times = frequencies(table, read_parquet(job.training.train))
    whole = table.join(times, on=PAIR, how="left").with_columns(pl.col("times").fill_null(0))
    whole = whole.join(_kinds(), on=PAIR, how="left", maintain_order="left")
    groups = {name: whole.filter(within) for name, within in _groups(list(chosen)).items()}
    return {name: _figures(group) for name, group in groups.items() if group.height}


def _groups(models: list[str]) -> dict[str, pl.Expr]:
    """Say which pairs are in which group: all models fail, all are right, and of two, only one is."""
    right = [pl.col(model) for model in models]
    word = "both " if len(models) == 2 else "all " if len(models) > 2 else ""  # noqa: PLR2004 - two are both
    groups = {f"{word}fail": ~pl.any_horizontal(right), f"{word}right": pl.all_horizontal(right)}
    if len(models) == 2:  # noqa: PLR2004
        groups |= {
            f"only {model} right": own & ~other
            for model, own, other in zip(models, right, reversed(right), strict=True)
        }
    return groups


def _word_pair(*columns: str) -> list[pl.Expr]:
    """Name the words of two columns in lower case, the one that comes first in the alphabet first."""
    words = [pl.col(column).str.to_lowercase() for column in columns or ("word", "antonym")]
    return [pl.min_horizontal(words).alias("first"), pl.max_horizontal(words).alias("second")]


def _kinds() -> pl.DataFrame:
    """List the pairs of words whose kind of antonymy is known, from the list that was judged by hand."""
    entries = [entry for several in load_curated_antonyms().values() for entry in several]
    known = pl.DataFrame(
        {name: [getattr(entry, field) for entry in entries] for name, field in _FIELDS.items()}
    )
    return known.select(*_word_pair(), "kind").unique(PAIR, keep="first", maintain_order=True)


def frequencies(word_pairs: pl.DataFrame, training: pl.DataFrame) -> pl.DataFrame:
    """Count for each pair of words, `first` and `second`, the contradictions with one of them on either side."""
    wanted = word_pairs.select(PAIR).unique()
    words = pl.concat([wanted["first"], wanted["second"]]).unique()
    rows = training.filter(label=CONTRADICTION).with_row_index("row")
    sides = [
        rows.select("row", pl.col(side).str.to_lowercase().str.extract_all(r"[\w'-]+").alias(side))
        .explode(side)
        .filter(pl.col(side).is_in(words.implode()))
        .unique()
        for side in ("premise", "hypothesis")
    ]
    met = sides[0].join(sides[1], on="row")
    named = met.select("row", *_word_pair("premise", "hypothesis")).unique()
    return named.join(wanted, on=PAIR).group_by(PAIR).agg(times=pl.len())


def _figures(group: pl.DataFrame) -> dict[str, Value]:
    words = group.unique(PAIR)
    n, distinct, seen = group.height, words.height, int((words["times"] > 0).sum())
    low, high = wilson(seen, distinct)
    times = float(words["times"].mean())  # type: ignore[arg-type]
    kinds = group["kind"].drop_nulls()
    shares = {kind: int((kinds == kind).sum()) / kinds.len() for kind in TYPES} if kinds.len() else {}
    return {
        "samples": Value(n, n=n),
        "distinct": Value(distinct, n=distinct),
        "seen": Value(seen / distinct, float(low), float(high), distinct),
        "times": Value(round(times, 2), n=distinct),
        **{kind: Value(share, n=kinds.len()) for kind, share in shares.items()},
    }


def _over(counted: list[dict[str, Value]]) -> dict[str, Value]:
    return {key: over_seeds([one[key] for one in counted]) for key in counted[0]}


EXPERIMENT = Experiment(
    "stress-antonyms",
    "antonyms in training contradictions, by success and failure of two models",
    tests,
    parts,
    tables,
    models=MODELS,
    paper_models=MODELS,
)
