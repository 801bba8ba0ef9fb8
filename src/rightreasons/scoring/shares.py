"""What a model says where one answer is true throughout: the share of each label, by tags, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.column_checks import ROW
from rightreasons.core.labels import NO_LABEL
from rightreasons.scoring.kinds import NONE
from rightreasons.scoring.proportion import proportion_of_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rightreasons.scoring.sharing import Clusters


def prediction_shares(
    answers: pl.DataFrame, tags: pl.DataFrame, labels: Sequence[str], clusters: Clusters | None = None
) -> pl.DataFrame:
    """Count what was answered for each combination of tags: n, and for each label NAME its share and interval.

    Rows come in the order in which the combinations first occur; the last is over all pairs and has no tags. Answers
    without a label have a column of their own if there are any.
    """
    said = answers.select(pl.col("prediction").replace(dict.fromkeys(NO_LABEL, NONE)))["prediction"]
    names = [*labels, NONE] if NONE in said else list(labels)
    hits = pl.DataFrame({name: said == name for name in names})
    rows = [
        {**group, **_share_columns(hits[taken], None if clusters is None else clusters[taken])}
        for group, taken in _iterate_groups(tags)
    ]
    rows.append({**dict.fromkeys(tags.columns), **_share_columns(hits, clusters)})
    return pl.DataFrame(rows, schema_overrides=dict(tags.schema), infer_schema_length=None)


def _iterate_groups(tags: pl.DataFrame) -> Iterator[tuple[dict[str, object], pl.Series]]:
    """Go through the combinations of tags, each with the places of its rows."""
    if tags.width:
        cells = tags.with_row_index(ROW).group_by(tags.columns, maintain_order=True).agg(ROW)
        for *group, taken in cells.iter_rows():
            yield dict(zip(tags.columns, group, strict=True)), pl.Series(taken, dtype=pl.UInt32)


def _share_columns(hits: pl.DataFrame, clusters: Clusters | None) -> dict[str, object]:
    found: dict[str, object] = {"n": hits.height}
    for name in hits.columns:
        found |= proportion_of_pairs(hits[name], clusters).columns(name)
    return found
