"""Read and write files of pairs in any known format, with the card next to the file.

Writing streams the pairs; file and card are written completely or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core import arguments
from rightreasons.core.arguments import check_arguments
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.labels import LABELS, TWO_LABELS
from rightreasons.core.pairs import (
    PARSE_COLUMNS,
    REQUIRED_COLUMNS,
    Card,
    ChallengeSet,
    Digest,
    compute_digest,
)
from rightreasons.core.progress import show_progress
from rightreasons.corpora import pair_formats
from rightreasons.corpora.corpus_source import hash_file
from rightreasons.corpora.generic_columns import GenericColumns, add_missing_label_column
from rightreasons.corpora.hans_columns import HELD
from rightreasons.corpora.hub_columns import MOST_IDS, HubColumns, are_row_ids
from rightreasons.corpora.pair_checks import check_pairs
from rightreasons.io.outputs import check_output_path, write_atomically
from rightreasons.io.table_writer import BATCH_ROWS, stream_table
from rightreasons.io.tables import collect_table, detect_format, format_row_location, scan_table

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

    from rightreasons.core.parts import Plan
    from rightreasons.corpora.pair_formats import Format, ReadableColumns

_RENUMBERED = "The format has no id column: reading the file numbers the pairs by row, starting with ex0."
_HIDDEN = "The format has no id column: the ids are in the file's metadata, which other programs ignore."
ROWS_CHANGED = "The rows differ from those that the card describes."


def get_card_path(path: Path) -> Path:
    """Return the path of the card of a file of pairs."""
    return path.with_name(f"{path.name}.card.json")


@check_arguments(
    pairs=arguments.check_set_or_plan,
    path=arguments.check_path,
    format=arguments.make_optional_check(arguments.check_text),
    force=arguments.check_bool,
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
    chosen = _keep_ids_in_metadata(_choose_format(path, format), pairs)
    plan: Plan = _WholePlan(pairs) if isinstance(pairs, ChallengeSet) else pairs
    job = _WriteJob(plan, chosen, _list_possible_labels(pairs), Digest())
    job.check()
    check_output_path(path, force=force)
    with (
        write_atomically(get_card_path(path), force=force) as card_part,
        write_atomically(path, force=force) as part,
    ):
        job.run(part, label=f"writing {path.name}")
        card = replace(plan.card, rows=len(plan), digest=job.seal.hexdigest())
        card_part.write_text(card.to_json(), encoding="utf-8")
    return card


def list_losses(
    pairs: ChallengeSet,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - as above
) -> tuple[str, ...]:
    """List what a format can't store of a set: columns and ids."""
    chosen = _keep_ids_in_metadata(_choose_format(Path(path), format), pairs)
    remarks = []
    held = pairs.pairs.columns if isinstance(chosen.columns, GenericColumns) else HELD
    gone = [name for name in pairs.pairs.columns if name not in held]
    if gone:
        remarks.append(
            f"The format {chosen.name} can't store these columns, so they were left out: {', '.join(gone)}."
        )
    if isinstance(chosen.columns, HubColumns) and not are_row_ids(pairs.pairs["id"]):
        remarks.append(_RENUMBERED if chosen.columns.ids is None else _HIDDEN)
    return tuple(remarks)


def _choose_format(path: Path, format: str | None) -> Format:  # noqa: A002 - as above
    return pair_formats.find_format_by_name(format) if format else pair_formats.find_format_by_ending(path)


def _keep_ids_in_metadata(chosen: Format, pairs: ChallengeSet | Plan) -> Format:
    """Keep ids in the metadata of parquet for the hub, if they are known and not just row numbers."""
    if chosen.name != "hf" or not isinstance(pairs, ChallengeSet) or len(pairs) > MOST_IDS:
        return chosen
    if "id" not in pairs.pairs.columns or are_row_ids(pairs.pairs["id"]):
        return chosen
    return replace(chosen, columns=HubColumns(pairs.pairs["id"]))


@dataclass(frozen=True)
class _WholePlan:
    """A generated set with the interface of a plan."""

    challenge_set: ChallengeSet

    @property
    def card(self) -> Card:
        return self.challenge_set.card

    @property
    def schema(self) -> Mapping[str, Any]:
        return self.challenge_set.pairs.schema

    def __len__(self) -> int:
        return len(self.challenge_set)

    def rows(self, start: int, stop: int) -> pl.DataFrame:
        return self.challenge_set.pairs[start:stop]


@dataclass(frozen=True)
class _WriteJob:
    """One set on its way into one file."""

    plan: Plan
    format: Format
    labels: tuple[str, ...]
    seal: Digest

    def check(self) -> None:
        """Refuse what the format can't hold before anything is made."""
        if self.format.name == "hf-jsonl" and not set(self.labels) <= set(TWO_LABELS):
            raise InputError(
                "hf-jsonl supports two labels only. Use hf, which stores the names of its labels."
            )

    def run(self, part: Path, label: str) -> None:
        """Make, hash and write the pairs batch by batch."""
        empty = pl.DataFrame(schema=dict(self.plan.schema))
        schema = dict(self._to_file(self._round_trip(empty, 0)).schema)
        metadata = self.format.columns.metadata(self.labels)
        with show_progress(len(self.plan), label) as advance:
            batches = self._generate_batches(advance)
            stream_table(batches, part, self.format.table, schema, metadata)

    def _generate_batches(self, advance: Any) -> Iterator[pl.DataFrame]:
        for start in range(0, len(self.plan), BATCH_ROWS):
            stop = min(start + BATCH_ROWS, len(self.plan))
            held = self._round_trip(self.plan.rows(start, stop), start)
            self.seal.update(held)
            yield self._to_file(held)
            advance(stop - start)

    def _round_trip(self, pairs: pl.DataFrame, start: int) -> pl.DataFrame:
        held = self.format.columns.simulate_round_trip(pairs, start)
        if self.format.table != "tsv":
            return held
        texts = pl.selectors.string()
        return held.with_columns(pl.when(texts != "").then(texts))  # where nothing is quoted, empty is none

    def _to_file(self, pairs: pl.DataFrame) -> pl.DataFrame:
        return self.format.columns.convert_to_file(pairs, self.labels)


def _list_possible_labels(pairs: ChallengeSet | Plan) -> tuple[str, ...]:
    """List the labels that can occur."""
    if isinstance(pairs, ChallengeSet) and "label" in pairs.pairs.columns:
        return tuple(pairs.pairs["label"].drop_nulls().unique().sort())
    return tuple(pairs.card.labels)


@check_arguments(
    path=arguments.check_path,
    format=arguments.make_optional_check(arguments.check_text),
    columns=arguments.make_optional_check(arguments.check_comma_separated_texts),
    if_there=arguments.check_comma_separated_texts,
    labelled=arguments.check_bool,
)
def read_pairs(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002 - the word that users know
    *,
    columns: Iterable[str] | None = None,
    if_there: Iterable[str] = (),
    labelled: bool = True,
) -> ChallengeSet:
    """Read a file of pairs, telling its format from its content; what is wrong is an error with its line.

    With `columns` only ids, labels and these are read, and of `if_there` those that the file has: then the card
    has no digest, and trees of parquet that are not read are not checked. Unless they must be `labelled`, pairs
    of which none has a label are all read, with nulls in that column.
    """
    path = Path(path)
    requested = None if format is None else pair_formats.find_format_by_name(format)
    table = scan_table(path, requested.table if requested else None)
    if not labelled:
        table = add_missing_label_column(table)
    layout: ReadableColumns = (
        requested.columns if requested else pair_formats.find_column_layout(list(table.collect_schema()))
    )
    renamed, remarks = layout.convert_from_file(table, path)
    names = list(renamed.collect_schema())
    wanted = names if columns is None else _choose_columns(names, set(columns), set(if_there))
    if detect_format(path) == "parquet" and not layout.known:
        renamed = renamed.select(
            wanted
        )  # text was read whole and is checked whole, and so is what may be repaired
    rows = collect_table(renamed, path)
    pairs, more = check_pairs(
        rows, partial(_describe_row_place, path), layout.trees, repair=layout.known, labelled=labelled
    )
    card = (
        _load_or_make_card(path, pairs, remarks + more)
        if columns is None
        else _load_card_without_digest(path, pairs, remarks + more)
    )
    return ChallengeSet(pairs.select(wanted), card)


def _choose_columns(names: list[str], columns: set[str], if_there: set[str]) -> list[str]:
    """Choose the columns to read, in the file's order; one that must be there and isn't is an error."""
    for name in sorted(columns.difference(names)):
        raise UnknownNameError("tag", name, set(names).difference(REQUIRED_COLUMNS, PARSE_COLUMNS))
    return [name for name in names if name in {"id", "label"} | columns | if_there]


def _describe_row_place(path: Path, row: int) -> str:
    return str(path) if row < 0 else format_row_location(path, row)


def _load_or_make_card(path: Path, pairs: pl.DataFrame, remarks: tuple[str, ...]) -> Card:
    """Load the card next to the file, or make one, and set the digest of what was read."""
    seal = compute_digest([pairs])
    card_path = get_card_path(path)
    if card_path.is_file():
        card = _read_card(card_path)
        remarks += (ROWS_CHANGED,) if card.digest not in (None, seal) else ()
        return replace(card, rows=pairs.height, digest=seal, remarks=card.remarks + remarks)
    return replace(_make_card(path, pairs, remarks), digest=seal, sources={path.name: hash_file(path)})


def _load_card_without_digest(path: Path, pairs: pl.DataFrame, remarks: tuple[str, ...]) -> Card:
    """Load or make a card without a digest, for some of the columns; missing rows are still noticed."""
    card_path = get_card_path(path)
    if card_path.is_file():
        card = _read_card(card_path)
        remarks += (ROWS_CHANGED,) if card.rows not in (None, pairs.height) else ()
        return replace(card, rows=pairs.height, digest=None, remarks=card.remarks + remarks)
    return _make_card(path, pairs, remarks)


def _make_card(path: Path, pairs: pl.DataFrame, remarks: tuple[str, ...]) -> Card:
    words = set(pairs["label"].unique())
    labels = tuple(label for label in LABELS if label in words)
    return Card(path.stem, labels=labels, rows=pairs.height, remarks=remarks)


def _read_card(path: Path) -> Card:
    try:
        return Card.from_json(path.read_text(encoding="utf-8"))
    except (InputError, OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} is not a valid card ({error}). Remove it, or generate the set again."
        ) from error
