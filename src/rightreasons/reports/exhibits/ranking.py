"""The leaderboard as exhibits: the mean over sets with ranges of ranks, and every set by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.exhibit import Exhibit
from rightreasons.core.formatting import make_slugs
from rightreasons.scoring.families import FAMILY_RULE, describe_chance_findings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.core.exhibit import Format
    from rightreasons.reports.leaderboard import Leaderboard, LeaderboardCell

RULE = (
    "A range of ranks extends from 1 plus the number of significantly better models to the number of ranked models "
    "minus the number of significantly worse models. On each set, the tests are those of `rightreasons compare`. "
    f"{FAMILY_RULE} The means over several sets are tested separately for each pair of models; pairs in the "
    "same cluster, also across sets, are one unit."
)
_BASELINES = "Baselines are not ranked."
_MAX_NAMES = 3  # names, before the others are counted


def make_ranking_tables(board: Leaderboard) -> list[Exhibit]:
    """Show the means, then each set."""
    return [_make_mean_rank_table(board), _make_set_rank_table(board)]


def _note_chance_findings(board: Leaderboard) -> str:
    """State how many tests show a difference by chance: one per pair of models and set that both have."""
    ranked = [sum(name in contest.standings for name in board.models) for contest in board.rankings]
    return describe_chance_findings(sum(count * (count - 1) // 2 for count in ranked))


def _note_missing_sets(board: Leaderboard) -> list[str]:
    """List the sets that are not in the mean because some model has no predictions on them."""
    notes = []
    for contest in board.rankings:
        missing = [name for name in board.models if name not in contest.standings]
        if missing:
            notes.append(
                f"{contest.name} is excluded from the mean: no predictions from {_join_first_names(missing)}."
            )
    if not board.counted:
        notes.append(
            "No set was predicted by all models, so there is no mean over sets and no ranking by the mean."
        )
    return notes


def _describe_label_rules(board: Leaderboard) -> list[str]:
    """State the label rule of each set, and why it was chosen."""
    by_rule: dict[str, list[str]] = {}
    for contest in board.rankings:
        by_rule.setdefault(contest.label_rule, []).append(contest.name)
    notes = [f"Labels of {', '.join(names)}: {rule}." for rule, names in by_rule.items()]
    return [*notes, *(f"{contest.name}: {text}" for contest in board.rankings for text in contest.remarks)]


def make_leaderboard_table(board: Leaderboard) -> Exhibit:
    """Lay the board out for other programs: every value in a column of its own, nothing in words."""
    keys, frame = _make_set_column_names(board), _make_models_frame(board)
    sizes = [(key, contest.n) for key, contest in zip(keys, board.rankings, strict=True)]
    numbers = {f"{key}_n": pl.when(pl.col(key).is_not_null()).then(n) for key, n in sizes}
    formats: dict[str, Format] = {"model": "text", "baseline": "text", "best": "count", "worst": "count"}
    formats |= {"mean": "share", "sets": "count"}
    headings = {"best": "best rank", "worst": "worst rank", "sets": "sets in the mean"}
    for key, contest in zip(keys, board.rankings, strict=True):
        formats |= {key: "share", f"{key}_n": "count"}
        headings |= {key: contest.name, f"{key}_n": f"{contest.name} n"}
    baseline = pl.col("model").is_in(board.baselines).replace_strict({True: "yes", False: "no"})
    whole = frame.with_columns(
        baseline.alias("baseline"), pl.lit(len(board.counted)).alias("sets"), **numbers
    )
    return Exhibit(
        "leaderboard", "Leaderboard", _make_board_caption(board), whole, formats, headings=headings
    )


def _make_mean_rank_table(board: Leaderboard) -> Exhibit:
    keys = _make_set_column_names(board)
    formats: dict[str, Format] = {"rank": "text", "model": "text"}
    formats |= {"mean": "share", "alike": "text"} if board.counted else {}
    headings = {"alike": "no significant difference from", "mean": f"mean over {_format_set_count(board)}"}
    headings |= {
        key: f"{contest.name} (n={contest.n:,})" for key, contest in zip(keys, board.rankings, strict=True)
    }
    return Exhibit(
        key="ranking",
        title=f"Ranks by the mean over {_format_set_count(board)}"
        if board.counted
        else "All models on all sets",
        caption=_make_board_caption(board),
        frame=_make_models_frame(board),
        formats=formats | dict.fromkeys(keys, "share"),
        chart=_make_mean_chart() if board.counted else None,
        notes=(
            *_note_missing_sets(board),
            RULE + _note_chance_findings(board),
            *([_BASELINES] if board.baselines else []),
            *_describe_label_rules(board),
        ),
        headings=headings,
    )


def _make_models_frame(board: Leaderboard) -> pl.DataFrame:
    keys = _make_set_column_names(board)
    rows = [_make_model_row(board, name, keys) for name in (*board.models, *board.baselines)]
    words = dict.fromkeys(("rank", "model", "alike"), pl.String)
    floats = [f"{key}{end}" for key in ("mean", *keys) for end in ("", "_low", "_high")]
    schema: dict[str, Any] = {
        **words,
        "best": pl.Int64,
        "worst": pl.Int64,
        **dict.fromkeys(floats, pl.Float64),
    }
    return pl.DataFrame(rows, schema=schema)


def _make_set_column_names(board: Leaderboard) -> list[str]:
    return [f"set-{slug}" for slug in make_slugs([contest.name for contest in board.rankings])]


def _format_set_count(board: Leaderboard) -> str:
    return "1 set" if len(board.counted) == 1 else f"{len(board.counted)} sets"


def _make_board_caption(board: Leaderboard) -> str:
    caption = "Accuracy on each set with its 95% confidence interval; a dash means that the set is not part of the run."
    if not board.counted:
        return caption
    sets = ", ".join(board.counted)
    return f"{caption} The mean is over {sets}{', weighted equally' if len(board.counted) > 1 else ''}."


def _make_model_row(board: Leaderboard, name: str, keys: Sequence[str]) -> dict[str, Any]:
    mean = board.means.get(name)
    row: dict[str, Any] = {
        "rank": format_rank_range(mean),
        "model": name,
        "alike": _join_first_names(board.ties.get(name, ())),
    }
    row |= {
        "best": mean.best if mean else None,
        "worst": mean.worst if mean else None,
        **_make_accuracy_columns("mean", mean),
    }
    for key, contest in zip(keys, board.rankings, strict=True):
        row |= _make_accuracy_columns(key, contest.standings.get(name))
    return row


def _make_accuracy_columns(key: str, standing: LeaderboardCell | None) -> Mapping[str, float | None]:
    if standing is None:
        return {key: None, f"{key}_low": None, f"{key}_high": None}
    return {key: standing.accuracy, f"{key}_low": standing.low, f"{key}_high": standing.high}


def _make_set_rank_table(board: Leaderboard) -> Exhibit:
    rows = [
        {
            "set": contest.name,
            "rank": format_rank_range(standing),
            "model": name,
            **_make_accuracy_columns("accuracy", standing),
            "n": contest.n,
        }
        for contest in board.rankings
        for name, standing in sorted(
            contest.standings.items(), key=lambda item: (item[1].best is None, -item[1].accuracy)
        )
    ]
    return Exhibit(
        key="ranking-sets",
        title="Ranks on each set",
        caption="Accuracy with its 95% confidence interval, and the range of ranks that the tests on this set allow.",
        frame=pl.DataFrame(rows),
        formats={"set": "text", "rank": "text", "model": "text", "accuracy": "share", "n": "count"},
    )


def format_rank_range(standing: LeaderboardCell | None) -> str | None:
    """Show a range of ranks, such as 2 or 1-3; nothing for what is not ranked."""
    if standing is None or standing.best is None:
        return None
    return f"{standing.best}" if standing.best == standing.worst else f"{standing.best}-{standing.worst}"


def _join_first_names(names: Sequence[str]) -> str | None:
    """List some names, and count the others; None if there are none."""
    if len(names) <= _MAX_NAMES:
        return ", ".join(names) or None
    return f"{', '.join(names[:_MAX_NAMES])} and {len(names) - _MAX_NAMES} more"


def _make_mean_chart() -> dict[str, Any]:
    """Draw the means as points with their intervals, the best on top."""
    model = {"field": "model", "type": "nominal", "sort": None, "title": None}
    scale = {"domain": [0, 1]}
    bar = {
        "x": {"field": "mean_low", "type": "quantitative", "scale": scale},
        "x2": {"field": "mean_high"},
        "y": model,
    }
    point = {
        "x": {"field": "mean", "type": "quantitative", "scale": scale, "title": "mean accuracy"},
        "y": model,
    }
    return {
        "transform": [{"filter": "isValid(datum.mean)"}],
        "layer": [
            {"mark": "rule", "encoding": bar},
            {"mark": {"type": "point", "filled": True}, "encoding": point},
        ],
    }
