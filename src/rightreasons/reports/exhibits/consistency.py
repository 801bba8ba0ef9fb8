"""Is a model right on all pairs that belong together?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.reports.exhibits.exhibit import Exhibit
from rightreasons.reports.exhibits.published_comparison import slug
from rightreasons.scoring.proportion import Consistency, measure_consistency

if TYPE_CHECKING:
    from rightreasons.runs.results import SetResults

LEAST = 10  # groups: of fewer, no table is made
_CAPTION = (
    "Groups of pairs that belong together, by {by}: the share where all answers are right, all wrong, or some of each, "
    "with 95% Wilson intervals over groups. Expected is what answers of the same accuracy for each true label would "
    "give if one pair of a group told nothing about the others."
)
_TWINS = "Twins are groups whose pairs have different true labels, so that no constant answer is right on all of one."


def exhibits(results: SetResults) -> list[Exhibit]:
    """Show how many groups are right as a whole, for all groups and for twins."""
    by = _tag(results.pairs)
    rows = []
    for model in results.requested:
        for kind, twins in (("all groups", False), ("twins", True)):
            found = measure_consistency(results.predictions[model], results.pairs[by], twins=twins)
            if found is not None and found.groups >= LEAST:
                rows.append({"groups": kind, "model": model, **_figures(found)})
    if not rows:
        return []
    frame = pl.DataFrame(rows, infer_schema_length=None).sort("groups", maintain_order=True)
    if frame["groups"].n_unique() > 1 and _same(frame):
        frame = frame.filter(pl.col("groups") == "twins")
    return [_exhibit(results, by, frame)]


def _tag(pairs: pl.DataFrame) -> str:
    """Choose what pairs belong together by: their group, or their premise where they have none."""
    return "group" if "group" in pairs.columns and pairs["group"].null_count() < pairs.height else "premise"


def _same(frame: pl.DataFrame) -> bool:
    """Tell whether all groups are twins, which need not be said twice."""
    counts = frame.group_by("groups").agg(pl.col("n").sum())["n"]
    return counts.n_unique() == 1


def _figures(found: Consistency) -> dict[str, Any]:
    figures: dict[str, Any] = {"n": found.groups, "pairs": found.pairs}
    for name in ("right", "mixed", "wrong"):
        figures |= getattr(found, name).columns(name)
    return figures | {"expected_right": found.expected_right, "expected_wrong": found.expected_wrong}


def _exhibit(results: SetResults, by: str, frame: pl.DataFrame) -> Exhibit:
    return Exhibit(
        f"consistency-{slug(results.name)}",
        f"{results.name}: is it right on all pairs that belong together?",
        _CAPTION.format(by=by),
        frame,
        {
            "groups": "text",
            "model": "text",
            "n": "count",
            "pairs": "count",
            "right": "share",
            "expected_right": "share",
            "mixed": "share",
            "wrong": "share",
            "expected_wrong": "share",
        },
        results.name,
        None,
        (_TWINS,) if "twins" in frame["groups"] else (),
        {
            "n": "n groups",
            "right": "all right",
            "expected_right": "expected all right",
            "wrong": "all wrong",
            "expected_wrong": "expected all wrong",
        },
    )
