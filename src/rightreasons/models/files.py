"""A file of predictions as a model: it answers each pair with what the file says."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rightreasons.core.parts import Model
from rightreasons.io.alignment import align, check_distinct, check_known
from rightreasons.io.predictions import read_answers
from rightreasons.io.spooling import kept

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl


class File(Model):
    """A model whose answers were made elsewhere and stand in a file, by id."""

    name = "file"
    by_id = True
    sources: Mapping[str, str] = {}  # known once the file is read

    def __init__(self, path: str | Path, others: Literal["refuse", "leave"] = "refuse") -> None:
        """Choose the file, which is read when the first pair is asked for, and what becomes of other ids.

        Args:
            path: the file.
            others: refuse ids that are not asked for, or leave them, so that a part of a set can be asked for.
        """
        self.path = Path(path)
        self.others = others
        self.name = f"file:{path}"

    @cached_property
    def answers(self) -> pl.DataFrame:
        """The whole file, each id once."""
        table = read_answers(self.path)
        with kept(self.path).open("rb") as file:
            self.sources = {self.path.name: hashlib.file_digest(file, "sha256").hexdigest()}
        check_distinct(table, self.path)
        return table

    def precheck(self) -> None:
        """Read the file, and check it by itself."""
        _ = self.answers

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Look up the answers; ids of the file that aren't asked for are left alone.

        Pairs may be asked in batches, or be a part of a set, so only a missing id is wrong here.
        """
        return align(pairs, self.answers, self.path, part=True)

    def refuse_others(self, ids: pl.Series) -> None:
        """Refuse ids of the file that are not among all those that will be asked for."""
        if self.others == "refuse":
            check_known(self.answers, ids, self.path)

    def refuse_missing(self, ids: pl.Series) -> None:
        """Refuse a set of which the file lacks an id."""
        align(ids.to_frame(), self.answers, self.path, part=True)
