"""Many runs in one ranking: a row per model, a column per set, and ranges of ranks that the tests allow."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.progress import track_progress
from rightreasons.io.outputs import write_folder_atomically
from rightreasons.reports.exhibits import ranking
from rightreasons.reports.report_data import Report
from rightreasons.runs.collection import load_runs, refuse_mixed_rules
from rightreasons.scoring.accuracy import ALL, make_score_rows
from rightreasons.scoring.ranks import (
    LEVEL,
    ModelAccuracies,
    Ranks,
    average_over_sets,
    find_wins_on_average,
    find_wins_on_set,
    measure_accuracies,
    rank_models,
)
from rightreasons.scoring.sharing import COLUMNS, MIN_CLUSTERS, find_sharing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rightreasons.runs.collection import RunCollection
    from rightreasons.runs.set_results import SetResults

TITLE = "Leaderboard"
CSV, PAGE, MARKDOWN = "leaderboard.csv", "leaderboard.html", "leaderboard.md"


@dataclass(frozen=True)
class LeaderboardCell:
    """One model in one column: its accuracy with interval, and its range of ranks."""

    accuracy: float
    low: float
    high: float
    best: int | None = None  # none for baselines, which are not ranked
    worst: int | None = None


@dataclass(frozen=True)
class SetRanking:
    """One set: its number of pairs, the accuracies and ranks of its models, and where each model is correct."""

    name: str
    n: int
    standings: Mapping[str, LeaderboardCell]
    ranks: Ranks  # of the requested models, in the order of the standings
    right: pl.DataFrame  # a column for each model
    shared: pl.DataFrame  # what pairs may share with others, also of other sets
    label_rule: str = ""  # how the labels of all models were compared
    remarks: tuple[str, ...] = ()  # on that rule


@dataclass(frozen=True)
class Leaderboard:
    """The ranking on each set, and by the mean over the sets that every model has predicted."""

    models: tuple[str, ...]  # that are ranked, the best first
    baselines: tuple[str, ...]
    rankings: tuple[SetRanking, ...]
    counted: tuple[str, ...]  # the sets in the mean
    means: Mapping[str, LeaderboardCell]
    ties: Mapping[str, tuple[str, ...]]  # for each model, those without a significant difference


def write_leaderboard(
    folders: str | Path | Sequence[str | Path],
    *,
    out: str | Path,
    names: Mapping[str, str] = MappingProxyType({}),
    force: bool = False,
) -> Report:
    """Rank the models of some runs, into a folder with a page, markdown and CSV; no model is run."""
    from rightreasons.reports.html.page import render_html
    from rightreasons.reports.renderers import render_csv, render_markdown_report

    with write_folder_atomically(out, force=force, marker=CSV) as folder:
        collection = load_runs(folders, names)
        refuse_mixed_rules(collection)
        board = build_leaderboard(collection)
        report = build_leaderboard_report(collection, board)
        (folder / CSV).write_text(render_csv(ranking.make_leaderboard_table(board)), encoding="utf-8")
        (folder / MARKDOWN).write_text(render_markdown_report(report), encoding="utf-8")
        (folder / PAGE).write_text(render_html(report), encoding="utf-8")
    return report


def build_leaderboard(collection: RunCollection) -> Leaderboard:
    """Rank all models; sets are read one at a time."""
    asked = collection.requested_models
    places = track_progress(collection.set_names, len(collection.set_names), "ranking")
    contests = [_rank_on_set(collection.load_set_results(name), asked) for name in places]
    counted = [contest for contest in contests if set(asked) <= set(contest.standings)]
    baselines = list(
        dict.fromkeys(name for contest in contests for name in contest.standings if name not in asked)
    )
    if not counted:
        return Leaderboard(tuple(asked), tuple(baselines), tuple(contests), (), {}, {})
    everywhere = [name for name in baselines if all(name in contest.standings for contest in counted)]
    found, means = _rank_by_mean(counted, asked, everywhere)
    order = sorted(asked, key=lambda name: -means[name].accuracy)  # ties stay in the order of the runs
    alike = {name: _list_tied_models(found, asked, place) for place, name in enumerate(asked)}
    names = tuple(contest.name for contest in counted)
    return Leaderboard(tuple(order), tuple(baselines), tuple(contests), names, means, alike)


def build_leaderboard_report(collection: RunCollection, board: Leaderboard) -> Report:
    """Build the report on a ranking, which has the same forms as any other."""
    started = dict.fromkeys(str(run.card["started"]) for run in collection.runs)
    recipe = [
        (str(folder), str(run.card["command"]))
        for folder, run in zip(collection.folders, collection.runs, strict=True)
    ]
    recipe += [(f"set {place.name}", f"digest {place.card['digest']}") for place in collection.sets]
    return Report(
        title=TITLE,
        created=", ".join(started),
        headlines=(),
        rule=ranking.RULE,
        warnings=tuple(dict.fromkeys(text for run in collection.runs for text in run.warnings)),
        exhibits=tuple(ranking.make_ranking_tables(board)),
        examples=(),
        model_notes=(),
        provenance=tuple(recipe),
    )


def _rank_on_set(results: SetResults, asked: Sequence[str]) -> SetRanking:
    """Score all models on one set, and rank those that were requested in any run."""
    ranked = [name for name in asked if name in results.predictions]
    names = [*ranked, *(name for name in results.predictions if name not in ranked)]
    right = pl.DataFrame({name: results.predictions[name]["right"] for name in names})
    shared = find_sharing(results.pairs)
    found = rank_models(find_wins_on_set(right.select(ranked), shared))
    standings = {}
    for place, name in enumerate(names):
        counts = make_score_rows(results.pairs, results.predictions[name], shared=shared)
        accuracy, low, high = counts.filter(pl.col("gold") == ALL).select("accuracy", "low", "high").row(0)
        standings[name] = LeaderboardCell(accuracy, low, high, *_get_rank_range(found, place))
    # Texts are compared by their hashes, which are small enough to keep for all sets.
    known = results.pairs.select(
        pl.when(pl.col(name).is_not_null()).then(pl.col(name).cast(pl.String).hash()).alias(name)
        for name in COLUMNS
        if name in results.pairs.columns
    )
    rule = (results.label_rule, results.remarks)
    return SetRanking(results.name, results.pairs.height, standings, found, right, known, *rule)


def _rank_by_mean(
    counted: Sequence[SetRanking], asked: Sequence[str], everywhere: Sequence[str]
) -> tuple[Ranks, dict[str, LeaderboardCell]]:
    """Rank the models by their means over some sets; for one set these are its own figures."""
    names = [*asked, *everywhere]
    if len(counted) == 1:
        (only,) = counted
        return only.ranks, {name: only.standings[name] for name in names}
    keys = _number_joint_clusters(counted)
    spreads = [
        measure_accuracies(contest.right.select(names), key)
        for contest, key in zip(counted, keys, strict=True)
    ]
    whole = average_over_sets(spreads)
    found = rank_models(find_wins_on_average(whole.select_models(range(len(asked)))))
    return found, _make_mean_cells(names, whole, found)


def _number_joint_clusters(counted: Sequence[SetRanking]) -> list[pl.Series]:
    """Number the clusters of pairs, also across sets that were made from the same source."""
    table = pl.concat([contest.shared for contest in counted], how="diagonal")
    clusters = find_sharing(table).coarsest_clusters
    alone = -1 - pl.int_range(table.height, eager=True)
    keys = alone if clusters is None else pl.select(pl.coalesce(clusters, alone)).to_series()
    keys = keys if keys.n_unique() >= MIN_CLUSTERS else alone
    ends = np.cumsum([0, *(contest.n for contest in counted)])
    return [keys[int(start) : int(end)] for start, end in pairwise(ends)]


def _make_mean_cells(
    names: Sequence[str], whole: ModelAccuracies, found: Ranks
) -> dict[str, LeaderboardCell]:
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * np.sqrt(np.diag(whole.covariance))
    low, high = np.clip(whole.means - half, 0, 1), np.clip(whole.means + half, 0, 1)
    return {
        name: LeaderboardCell(
            float(whole.means[at]), float(low[at]), float(high[at]), *_get_rank_range(found, at)
        )
        for at, name in enumerate(names)
    }


def _get_rank_range(found: Ranks, at: int) -> tuple[int | None, int | None]:
    """Return the range of a model's ranks; models after the ranked ones have none."""
    return (int(found.best[at]), int(found.worst[at])) if at < len(found.best) else (None, None)


def _list_tied_models(found: Ranks, names: Sequence[str], place: int) -> tuple[str, ...]:
    differs = found.better[place] | found.better[:, place]
    return tuple(name for at, name in enumerate(names) if at != place and not differs[at])
