"""Premises and the pool of hypotheses, which of them are related, and partners drawn without repeats.

Everything works on whole columns.
"""

from __future__ import annotations

from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.keyed_random import derive_numbers, draw_numbers, join_columns, scale_to_range
from rightreasons.sets.random_pair.content_words import Overlap, encode_content_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.int64]
    Refuses = Callable[[Rows, Rows], NDArray[np.bool_]]

# An id of MultiNLI is a prompt's number and a letter; one of SNLI names a photograph, which has five captions.
_PROMPT = r"^(\d+)[enc](?:#\d+)?$"
_PHOTO = r"^(.+?\.jpg)#"
_GROUPS = ("source_group", "prompt_id", "promptID", "caption_id", "captionID")
_SPARE = 8
_CELLS = 1 << 21  # of rows times the pool, put in order at a time
_LATER = 1 << 32  # the numbers that order a whole pool come after those of the first draw


def shorten_corpus_names(corpora: Sequence[str]) -> list[str]:
    """Name corpora shortly: a file by its stem, with its folder where two have the same."""
    short = [name if name.startswith("hf:") else PurePath(name).stem for name in corpora]
    longer = [f"{PurePath(name).parent.name}/{stem}" for name, stem in zip(corpora, short, strict=True)]
    unlike = [one if short.count(one) == 1 else two for one, two in zip(short, longer, strict=True)]
    return unlike if len(set(unlike)) == len(set(corpora)) else list(corpora)


def find_source_groups(pairs: pl.DataFrame) -> pl.Series:
    """Name what each pair was written about: its prompt or photograph by the ids, else its premise."""
    named = [pl.col(name).cast(pl.String) for name in _GROUPS if name in pairs.columns]
    photo = [group.str.extract(_PHOTO) for group in named]
    own = [pl.col("id").str.extract(_PROMPT), pl.col("id").str.extract(_PHOTO)]
    return pairs.select(pl.coalesce(*photo, *named, *own, "premise").alias("source_group")).to_series()


def concatenate_corpora(corpora: Mapping[str, pl.DataFrame], *, by_genre: bool) -> pl.DataFrame:
    """Concatenate the pairs of several corpora, with the columns source, file and source_group."""
    parts = []
    for name, pairs in corpora.items():
        genre = pl.col("genre") if "genre" in pairs.columns else pl.lit(None, dtype=pl.String)
        source = pl.coalesce(genre, pl.lit(name)) if by_genre else pl.lit(name)
        parts.append(
            pairs.select(
                "id", "premise", "hypothesis", "label", genre.alias("genre"), source.alias("source"),
                pl.lit(name).alias("file"), find_source_groups(pairs),
            )
        )  # fmt: skip
    return pl.concat(parts)


def shuffle_distinct_premises(pairs: pl.DataFrame, *key: str | int) -> pl.DataFrame:
    """List the premises, each text once under its first id, in an order drawn by their ids; `drawn` is the number."""
    first = pairs.sort("id").unique("premise", keep="first", maintain_order=True)
    named = first.select(join_columns(["file", "id"]).alias("name")).to_series()
    drawn = pl.Series("drawn", draw_numbers(named, *key))
    return first.with_columns(drawn).sort("drawn", "file", "id").drop("hypothesis", "label")


def list_distinct_hypotheses(pairs: pl.DataFrame) -> pl.DataFrame:
    """List the hypotheses, each text once: in the source that comes first, under its first id there."""
    sources = pl.Enum(pairs["source"].unique(maintain_order=True))
    ordered = pairs.with_columns(pl.col("source").cast(sources)).sort("source", "file", "id")
    return ordered.unique("hypothesis", keep="first", maintain_order=True).drop("premise")


def encode_related_pairs(
    premises: pl.DataFrame, pool: pl.DataFrame, pairs: pl.DataFrame
) -> NDArray[np.int64]:
    """Number the related pairs (row of premises times the pool's size, plus row of the pool), which are not random.

    These are the hypotheses that any corpus has for the same premise, prompt or photograph, and equal texts.
    """
    left = premises.with_row_index("left").select("left", "premise", "source_group")
    right = pool.with_row_index("right").select("right", "hypothesis")
    equal = left.join(right, left_on="premise", right_on="hypothesis").select("left", "right")
    parts = [equal]
    for key in ("premise", "source_group"):
        met = left.select("left", key).join(pairs.select(key, "hypothesis").unique(), on=key)
        parts.append(met.join(right, on="hypothesis").select("left", "right"))
    together = pl.concat(parts).cast(pl.Int64)
    numbers = together.select(pl.col("left") * pool.height + pl.col("right")).to_series()
    return np.unique(numbers.to_numpy())


def draw_partners(drawn: NDArray[np.uint64], pool: int, wanted: int, refuses: Refuses) -> tuple[Rows, Rows]:
    """Draw `wanted` partners for every row, or all that the pool has, in the order of the draw.

    A row's partners follow from the number drawn for it and from the pool alone. Returned are rows and partners, flat.
    """
    rows, partners = _draw_first_partners(drawn, pool, wanted, refuses)
    counts = np.bincount(rows, minlength=len(drawn))
    short = np.flatnonzero(counts < min(wanted, pool))
    if not len(short):
        return rows, partners
    complete = counts[rows] >= min(wanted, pool)
    parts = [(rows[complete], partners[complete])]
    step = max(1, _CELLS // pool)
    for start in range(0, len(short), step):
        some = short[start : start + step]
        order_of_draw = _rank_drawn_partners(rows, partners, some, pool)
        parts.append(_draw_from_whole_pool(drawn, some, order_of_draw, wanted, refuses))
    rows, partners = (np.concatenate(side) for side in zip(*parts, strict=True))
    order = np.argsort(rows, kind="stable")
    return rows[order], partners[order]


def _draw_first_partners(
    drawn: NDArray[np.uint64], pool: int, wanted: int, refuses: Refuses
) -> tuple[Rows, Rows]:
    """Draw some more than are wanted, and keep the first of them that will do."""
    numbers = np.arange(2 * wanted + _SPARE)
    drawn_more = derive_numbers(drawn[:, None], numbers[None, :])
    tried = scale_to_range(drawn_more, pool)
    rows = np.repeat(np.arange(len(drawn)), len(numbers))
    good = ~_mark_repeats(tried)
    good &= ~refuses(rows, tried.ravel()).reshape(tried.shape)
    good &= np.cumsum(good, axis=1) <= wanted
    return rows[good.ravel()], tried[good]


def _mark_repeats(tried: Rows) -> NDArray[np.bool_]:
    """Mark values that occur earlier in their row."""
    order = np.argsort(tried, axis=1, kind="stable")
    ordered = np.take_along_axis(tried, order, axis=1)
    again = np.zeros(tried.shape, dtype=np.bool_)
    again[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    repeats = np.empty_like(again)
    np.put_along_axis(repeats, order, again, axis=1)
    return repeats


def _rank_drawn_partners(rows: Rows, partners: Rows, some: Rows, pool: int) -> Rows:
    """Return the position at which each partner was drawn (0, 1, ...); partners not drawn yet come last."""
    places = np.full((len(some), pool), pool, dtype=np.int64)
    inside = np.isin(rows, some)
    number = np.searchsorted(some, rows[inside])
    first = np.searchsorted(rows[inside], some)
    places[number, partners[inside]] = np.arange(int(inside.sum())) - first[number]
    return places


def _draw_from_whole_pool(
    drawn: NDArray[np.uint64], some: Rows, places: Rows, wanted: int, refuses: Refuses
) -> tuple[Rows, Rows]:
    """Shuffle the whole pool for each row, after the partners that it has, and keep the first that are not refused."""
    pool = places.shape[1]
    rest = derive_numbers(drawn[some][:, None], (np.arange(pool) + _LATER)[None, :])
    order = np.lexsort((rest, places), axis=1)
    rows = np.repeat(some, pool)
    good = ~refuses(rows, order.ravel()).reshape(order.shape)
    good &= np.cumsum(good, axis=1) <= wanted
    return rows[good.ravel()], order[good]


class PairSampler:
    """The premises, the pool of hypotheses in the order of their sources, and what may not meet."""

    def __init__(
        self, premises: pl.DataFrame, pool: pl.DataFrame, pairs: pl.DataFrame, overlap: float
    ) -> None:
        """Set the two sides, all known pairs, and the largest share of content words that a pair may share."""
        self.premises = premises
        self.pool = pool
        self.overlap = overlap
        self.related = encode_related_pairs(premises, pool, pairs)
        self.words = Overlap(*encode_content_words(premises["premise"], pool["hypothesis"]))

    @property
    def sources(self) -> list[tuple[str, int]]:
        """List the sources of hypotheses with their sizes."""
        return self.pool["source"].cast(pl.String).rle().struct.unnest().select("value", "len").rows()

    def draw_pairs(self, per_source: int, *key: str | int) -> tuple[Rows, Rows]:
        """Draw hypotheses for every premise from each source: rows of the premises and of the pool."""
        rows, picks = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        numbers = self.premises["drawn"].to_numpy()
        start = 0
        for source, there in self.sources:
            # Every source has separate draws; otherwise all would pick the same positions.
            keyed = numbers ^ draw_numbers([source], *key)
            left, right = draw_partners(keyed, there, per_source, partial(self._are_refused_in_source, start))
            rows.append(left)
            picks.append(right + start)
            start += there
        left, right = np.concatenate(rows), np.concatenate(picks)
        order = np.argsort(left, kind="stable")
        return left[order], right[order]

    def _are_refused_in_source(self, start: int, left: Rows, right: Rows) -> NDArray[np.bool_]:
        return self.are_refused(left, right + start)

    def are_refused(self, left: Rows, right: Rows) -> NDArray[np.bool_]:
        """Return which pairs are related, or share too many content words."""
        numbers = left * self.pool.height + right
        refused = np.zeros(len(left), dtype=np.bool_)
        if len(self.related):
            places = np.minimum(np.searchsorted(self.related, numbers), len(self.related) - 1)
            refused = self.related[places] == numbers
        if self.overlap < 1:
            refused |= self.words.compute_shares(left, right) > self.overlap
        return refused

    def build_random_pairs(self, name: str, left: Rows, right: Rows) -> pl.DataFrame:
        """Build the table of the drawn pairs."""
        premise = self.premises.select(
            "premise",
            pl.concat_str("file", pl.lit("/"), "id").alias("group"),
            pl.concat_str(pl.lit(f"{name}-"), "file", pl.lit("/"), "id", pl.lit("-")).alias("head"),
            "genre",
            pl.col("id").alias("source_id"),
            pl.col("file").alias("premise_source"),
        )[left]
        hypothesis = self.pool.select(
            "hypothesis",
            pl.concat_str("file", pl.lit("/"), "id").alias("tail"),
            pl.col("source").cast(pl.String).alias("subcase"),
            pl.col("id").alias("hypothesis_source_id"),
            pl.col("label").alias("hypothesis_label"),
        )[right]
        return pl.concat([premise, hypothesis], how="horizontal").select(
            pl.concat_str("head", "tail").alias("id"),
            "premise",
            "hypothesis",
            pl.lit("neutral").alias("label"),
            pl.lit(name).alias("set"),
            "subcase",
            "group",
            "genre",
            "source_id",
            "premise_source",
            "hypothesis_source_id",
            "hypothesis_label",
        )
