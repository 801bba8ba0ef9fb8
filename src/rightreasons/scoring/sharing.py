"""Which pairs belong together: those that share a group, a source or a premise.

Clusters are the connected components of all these columns: two pairs are in one cluster if a chain of shared values
leads from one to the other. Where that would join nearly everything, as when every claim meets every document, the
columns are kept apart and their variances are combined by inclusion and exclusion (Cameron, Gelbach and Miller 2011).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    Codes = npt.NDArray[np.int64]

# The clusters of pairs as functions take them: a column, or several whose variances are combined.
Clusters: TypeAlias = "pl.Series | pl.DataFrame"
COLUMNS = ("group", "source_id", "premise")
MIN_CLUSTERS = 10  # clusters: fewer are not enough to estimate their variance
WILSON = "wilson"
FEW_CLUSTERS = "fewer than ten"  # clusters: in the name of an interval that leaves a column out
_ALONE = -1  # the code of a pair that shares nothing


@dataclass(frozen=True)
class Sharing:
    """The columns that pairs share, and for each pair the number of its cluster, null if it is alone.

    `clusters` has one column, or for crossed columns one for each term of inclusion and exclusion: the variance over
    a column whose name begins with - is subtracted. `ignored` has columns of too few values to learn from.
    """

    columns: tuple[str, ...] = ()
    clusters: pl.DataFrame | None = None
    ignored: tuple[str, ...] = ()

    @property
    def interval_kind(self) -> str:
        """The type of interval for such pairs."""
        if self.clusters is None:
            return WILSON
        names = (", " if self.clusters.width == 1 else " x ").join(self.columns)
        few = f" (not {', '.join(self.ignored)}: {FEW_CLUSTERS} values)" if self.ignored else ""
        return f"clusters: {names}{few}"

    @property
    def coarsest_clusters(self) -> pl.Series | None:
        """The clusters; of crossed columns, those of the column with the fewest."""
        if self.clusters is None:
            return None
        return min((column for column in self.clusters if column.name[0] == "+"), key=pl.Series.n_unique)


def find_sharing(pairs: pl.DataFrame, columns: Sequence[str] = COLUMNS) -> Sharing:
    """Find which pairs share a group, a source or a premise, directly or through others."""
    found = {name: number_shared_values(pairs[name]) for name in columns if name in pairs.columns}
    found = {name: codes for name, codes in found.items() if (codes != _ALONE).any()}
    few = [name for name, codes in found.items() if _count_clusters(codes) < MIN_CLUSTERS]
    ignored = tuple(few) if len(few) < len(found) else ()
    found = {name: codes for name, codes in found.items() if name not in ignored}
    if not found:
        return Sharing()
    widest = _drop_nested_columns(found)
    layers = {"+": next(iter(widest.values()))} if len(widest) == 1 else _join_column_clusters(widest)
    frame = pl.DataFrame([_make_cluster_column(name, codes) for name, codes in layers.items()])
    return Sharing(tuple(widest), frame, ignored)


def has_few_clusters(kind: str) -> bool:
    """Whether the type of an interval means that pairs share a column with too few values to account for it."""
    return FEW_CLUSTERS in kind


def number_shared_values(column: pl.Series) -> Codes:
    """Number the values that several pairs have; a pair without a value, or alone with its own, has none."""
    # Equal hashes of different texts are too rare to matter, and are found ten times faster.
    hashes = column.hash().set(column.is_null(), None)
    shared = hashes.is_duplicated() & hashes.is_not_null()
    numbers = pl.select(pl.when(shared).then(hashes).rank("dense").cast(pl.Int64) - 1).to_series()
    return numbers.fill_null(_ALONE).to_numpy()


def _count_clusters(codes: Codes) -> int:
    """Count the clusters, those of one pair too."""
    return int(codes.max()) + 1 + int((codes == _ALONE).sum())


def _drop_nested_columns(found: Mapping[str, Codes]) -> dict[str, Codes]:
    """Drop columns whose clusters lie within those of another column, and therefore add nothing to it."""
    kept = dict(found)
    for name in reversed(list(found)):
        if any(_is_nested_within(found[name], codes) for other, codes in kept.items() if other != name):
            del kept[name]
    return kept


def _is_nested_within(inner: Codes, outer: Codes) -> bool:
    several = inner != _ALONE
    inside, around = inner[several], outer[several]
    if (around == _ALONE).any():
        return False
    first = np.empty(inside.max() + 1, np.int64)
    first[inside] = around
    return bool((first[inside] == around).all())


def _join_column_clusters(found: Mapping[str, Codes]) -> dict[str, Codes]:
    """Join the clusters of several columns; where too little is left of them, keep the columns apart."""
    whole = number_connected_components(list(found.values()))
    sizes = np.bincount(whole).astype(np.float64)
    if sizes.sum() ** 2 / (sizes @ sizes) >= MIN_CLUSTERS:
        return {"+": np.where(sizes[whole] > 1, whole, _ALONE)}
    layers = {}
    for count in range(1, len(found) + 1):
        for names in combinations(found, count):
            sign = "+" if count % 2 else "-"
            layers[f"{sign}{' '.join(names)}"] = _intersect_columns([found[name] for name in names])
    return layers


def number_connected_components(columns: Sequence[Codes]) -> Codes:
    """Number the connected components: every pair takes the least number that any of its columns leads to.

    Numbers also spread to whole components at once (hooking and pointer jumping), so that a chain of n pairs takes
    a number of rounds of the order of log n.
    """
    label = np.arange(len(columns[0]))
    while True:
        new = label.copy()
        for codes in columns:
            several = codes != _ALONE
            least = np.full(codes.max() + 1, len(label))
            np.minimum.at(least, codes[several], new[several])
            new[several] = least[codes[several]]
        np.minimum.at(new, label, new.copy())
        new = new[new]
        if (new == label).all():
            return np.unique(label, return_inverse=True)[1]
        label = new


def _intersect_columns(columns: Sequence[Codes]) -> Codes:
    """Number the pairs that share a value in every one of some columns."""
    whole = columns[0]
    for codes in columns[1:]:
        both = (whole != _ALONE) & (codes != _ALONE)
        joint = np.where(both, whole * (codes.max() + 1) + codes, _ALONE)
        values, place, times = np.unique(joint, return_inverse=True, return_counts=True)
        several = (values != _ALONE) & (times > 1)
        number = np.where(several, np.cumsum(several) - 1, _ALONE)
        whole = number[place]
    return whole


def _make_cluster_column(name: str, codes: Codes) -> pl.Series:
    numbers = pl.Series(name, codes)
    return numbers.set(numbers == _ALONE, None)
