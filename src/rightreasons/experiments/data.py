"""Training pairs of a role, and the slice held out of them that weights are chosen by: never the reported dev set."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.keyed_random import draws
from rightreasons.core.pairs import PARSES
from rightreasons.experiments.roles import role as role_of
from rightreasons.io.outputs import replacing_folder
from rightreasons.io.polars_io import write_parquet
from rightreasons.training.edits import apply_edit

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.experiments.roles import ExperimentCorpora

CARD = "card.json"


@dataclass(frozen=True)
class Training:
    """Where training pairs and the held-out slice lie, and what they are."""

    key: str
    train: Path
    dev: Path
    facts: dict[str, Any]  # role, files, and how many pairs there were, are trained on, and are held out


def training(
    folder: Path, corpora: ExperimentCorpora, role: str, *, size: int | None, dev: int, parses: bool = False
) -> Training:
    """Write the pairs of a role as two files into a folder, unless they lie there already."""
    by = role_of(role).chosen_by
    wanted = {"role": role, "sources": corpora.digest(role), "size": size, "dev": dev, "parses": parses}
    key = hashlib.sha256(json.dumps(wanted, sort_keys=True).encode()).hexdigest()[:16]
    place = folder / f"{role}-{key}"
    if not (place / CARD).exists():
        pairs = corpora.pairs(role).pairs
        readable = _readable(pairs, corpora.told(role), parses=parses)
        train, held_out = (readable, corpora.pairs(by).pairs) if by else split(readable, dev)
        chosen = train if size is None else apply_edit(train, f"subsample:size={size}")
        facts = {"role": role, "files": corpora.told(role), "pairs": pairs.height}
        facts |= {"train": chosen.height, "dev": held_out.height, "chosen_by": by}
        _write(place, chosen, held_out, facts)
    facts = json.loads((place / CARD).read_text(encoding="utf-8"))
    return Training(key, place / "train.parquet", place / "dev.parquet", facts)


def split(pairs: pl.DataFrame, dev: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Hold about so many pairs out, whole premises at a time, so that no premise is on both sides."""
    premises = pairs.group_by("premise").agg(n=pl.len())
    drawn = pl.Series("drawn", draws(premises["premise"], "held out"))
    order = (
        premises.with_columns(drawn).sort("drawn").with_columns(before=pl.col("n").cum_sum() - pl.col("n"))
    )
    most = min(dev, pairs.height // 4)
    chosen = order.filter(pl.col("before") < most)["premise"]
    inside = pl.col("premise").is_in(chosen.implode())
    return pairs.filter(~inside), pairs.filter(inside)


def _readable(pairs: pl.DataFrame, name: str, *, parses: bool) -> pl.DataFrame:
    """Choose the pairs that can be trained on: with parses where trees are read, and each text once."""
    there = [column for column in PARSES if column in pairs.columns]
    once = pairs.unique(["premise", "hypothesis"], keep="first", maintain_order=True)
    if not parses:
        return once.drop(there)
    if not there:
        raise InputError(f"{name} has no parses, which SPINN reads. Give a file with them for this role.")
    return once.drop_nulls(there)


def _write(place: Path, train: pl.DataFrame, dev: pl.DataFrame, facts: dict[str, Any]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with replacing_folder(place, force=True, internal=True) as folder:
        write_parquet(train, folder / "train.parquet")
        write_parquet(dev, folder / "dev.parquet")
        (folder / CARD).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
