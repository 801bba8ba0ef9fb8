"""A file of predictions as a model: it answers each pair with what the file says."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import polars as pl

from rightreasons.alignment import align, check_distinct
from rightreasons.answers import read_answers


class File:
    """A model whose answers were made elsewhere and stand in a file, by id."""

    name = "file"
    needs: tuple[str, ...] = ()

    def __init__(self, path: str | Path) -> None:
        """Choose the file; it is read when the first pair is asked for."""
        self.path = Path(path)
        self.name = f"file:{path}"

    @cached_property
    def answers(self) -> pl.DataFrame:
        """The whole file, each id once."""
        table = read_answers(self.path)
        check_distinct(table, self.path)
        return table

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Look up the answers; ids of the file that aren't asked for are left alone.

        Pairs may be asked in batches, or be a part of a set, so only a missing id is wrong here.
        """
        asked = self.answers.filter(pl.col("id").is_in(pairs["id"].implode()))
        return align(pairs, asked, self.path)
