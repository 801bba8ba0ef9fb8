"""Write pairs in any known format, in a stream, with their card beside: both whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core import arguments
from rightreasons.core.arguments import checked_arguments
from rightreasons.core.errors import InputError
from rightreasons.core.labels import TWO
from rightreasons.core.pairs import Card, ChallengeSet, Digest
from rightreasons.core.progress import progress
from rightreasons.corpora import formats
from rightreasons.corpora.generic import GenericColumns
from rightreasons.corpora.hans import HELD
from rightreasons.corpora.huggingface import MOST_IDS, HubColumns, are_numbered
from rightreasons.io.outputs import check_free, replacing
from rightreasons.io.table_writer import BATCH, stream_table

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from rightreasons.core.parts import Plan
    from rightreasons.corpora.formats import Format

_RENUMBERED = "There is no column of ids: reading the file back numbers the pairs by row, from ex0."
_HIDDEN = "There is no column of ids: they are in the file's metadata, where other programs don't look."


def card_path(path: Path) -> Path:
    """Say where the card of a file of pairs lies."""
    return path.with_name(f"{path.name}.card.json")


@checked_arguments(
    pairs=arguments.made_set,
    path=arguments.path,
    format=arguments.optional(arguments.text),
    force=arguments.flag,
)
def write_pairs(
    pairs: ChallengeSet | Plan,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the word that users know
    force: bool = False,
) -> Card:
    """Write a set, or a plan of one as it is made, and return its card with the rows and digest of the file.

    The digest is of the rows as reading the file gives them back: the HANS formats don't hold every tag.
    """
    path = Path(path)
    chosen = _with_ids(_chosen(path, format), pairs)
    plan: Plan = _Whole(pairs) if isinstance(pairs, ChallengeSet) else pairs
    job = _WriteJob(plan, chosen, _labels(pairs), Digest())
    job.check()
    check_free(path, force=force)
    with replacing(card_path(path), force=force) as card_part, replacing(path, force=force) as part:
        job.run(part, label=f"writing {path.name}")
        card = replace(plan.card, rows=len(plan), digest=job.seal.hexdigest())
        card_part.write_text(card.to_json(), encoding="utf-8")
    return card


def losses(
    pairs: ChallengeSet,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - as above
) -> tuple[str, ...]:
    """Say what of a set will not come back from a file: columns and ids that its format has no place for."""
    chosen = _with_ids(_chosen(Path(path), format), pairs)
    found = []
    held = pairs.pairs.columns if isinstance(chosen.shape, GenericColumns) else HELD
    gone = [name for name in pairs.pairs.columns if name not in held]
    if gone:
        found.append(f"The format {chosen.name} has no place for {', '.join(gone)}: left out.")
    if isinstance(chosen.shape, HubColumns) and not are_numbered(pairs.pairs["id"]):
        found.append(_RENUMBERED if chosen.shape.ids is None else _HIDDEN)
    return tuple(found)


def _chosen(path: Path, format: str | None) -> Format:  # noqa: A002 - as above
    return formats.named(format) if format else formats.by_ending(path)


def _with_ids(chosen: Format, pairs: ChallengeSet | Plan) -> Format:
    """Have parquet for the hub keep ids that are more than numbers of rows, where they are known beforehand."""
    if chosen.name != "hf" or not isinstance(pairs, ChallengeSet) or len(pairs) > MOST_IDS:
        return chosen
    if "id" not in pairs.pairs.columns or are_numbered(pairs.pairs["id"]):
        return chosen
    return replace(chosen, shape=HubColumns(pairs.pairs["id"]))


@dataclass(frozen=True)
class _Whole:
    """A set that is made already, in the clothes of a plan."""

    made: ChallengeSet

    @property
    def card(self) -> Card:
        return self.made.card

    @property
    def schema(self) -> Mapping[str, Any]:
        return self.made.pairs.schema

    def __len__(self) -> int:
        return len(self.made)

    def rows(self, start: int, stop: int) -> pl.DataFrame:
        return self.made.pairs[start:stop]


@dataclass(frozen=True)
class _WriteJob:
    """One set on its way into one file."""

    plan: Plan
    format: Format
    labels: tuple[str, ...]
    seal: Digest

    def check(self) -> None:
        """Refuse what the format can't hold before anything is made."""
        if self.format.name == "hf-jsonl" and not set(self.labels) <= set(TWO):
            raise InputError("hf-jsonl has numbers for two labels only. Write hf, which names its labels.")

    def run(self, part: Path, label: str) -> None:
        """Make, hash and write the pairs batch by batch."""
        empty = pl.DataFrame(schema=dict(self.plan.schema))
        schema = dict(self._shown(self._held(empty, 0)).schema)
        metadata = self.format.shape.metadata(self.labels)
        with progress(len(self.plan), label) as advance:
            batches = self._batches(advance)
            stream_table(batches, part, self.format.table, schema, metadata)

    def _batches(self, advance: Any) -> Iterator[pl.DataFrame]:
        for start in range(0, len(self.plan), BATCH):
            stop = min(start + BATCH, len(self.plan))
            held = self._held(self.plan.rows(start, stop), start)
            self.seal.update(held)
            yield self._shown(held)
            advance(stop - start)

    def _held(self, pairs: pl.DataFrame, start: int) -> pl.DataFrame:
        held = self.format.shape.held(pairs, start)
        if self.format.table != "tsv":
            return held
        texts = pl.selectors.string()
        return held.with_columns(pl.when(texts != "").then(texts))  # where nothing is quoted, empty is none

    def _shown(self, pairs: pl.DataFrame) -> pl.DataFrame:
        return self.format.shape.shown(pairs, self.labels)


def _labels(pairs: ChallengeSet | Plan) -> tuple[str, ...]:
    """List the labels that can occur."""
    if isinstance(pairs, ChallengeSet) and "label" in pairs.pairs.columns:
        return tuple(pairs.pairs["label"].drop_nulls().unique().sort())
    return tuple(pairs.card.labels)
