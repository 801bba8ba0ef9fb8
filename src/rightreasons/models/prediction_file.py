"""A file of predictions as a model."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rightreasons.core.options import option
from rightreasons.core.parts import Model
from rightreasons.io.alignment import align_by_id, refuse_repeated_ids, refuse_unknown_ids
from rightreasons.io.inputs import get_spooled_path
from rightreasons.io.predictions import read_predictions

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class File(Model):
    """A file of predictions made elsewhere; each pair gets the prediction with its id."""

    by_id = True
    path: str | Path = option(help="File of predictions: a table with id and label.")
    others: Literal["refuse", "leave"] = option(
        "refuse",
        help="How ids of the file that are not in the set are handled: refuse (an error) or leave (ignored).",
    )

    @cached_property
    def name(self) -> str:
        """The name, such as file:PATH."""
        return f"file:{self.path}"

    @cached_property
    def file(self) -> Path:
        """The path of the file."""
        return Path(self.path)

    @cached_property
    def predictions(self) -> pl.DataFrame:
        """The whole file, each id once."""
        table = read_predictions(self.file)
        _ = self.digest  # of the content that was read
        refuse_repeated_ids(table, self.file)
        return table

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the file."""
        with get_spooled_path(self.file).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @property
    def sources(self) -> dict[str, str]:
        """SHA-256 of the file, once it has been read."""
        return {self.file.name: self.digest} if "predictions" in vars(self) else {}

    def precheck(self) -> None:
        """Read the file, and check it by itself."""
        _ = self.predictions

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Look up the predictions; only a missing id is an error here, since the pairs may be a part of a set."""
        return align_by_id(pairs, self.predictions, self.file, part=True)

    def refuse_others(self, ids: pl.Series) -> None:
        """Refuse ids of the file that are not among the pairs of the run."""
        if self.others == "refuse":
            refuse_unknown_ids(self.predictions, ids, self.file)

    def refuse_missing(self, ids: pl.Series) -> None:
        """Refuse a set of which the file lacks an id."""
        align_by_id(ids.to_frame(), self.predictions, self.file, part=True)
