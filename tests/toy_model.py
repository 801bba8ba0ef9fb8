"""A model with the options that many models have, for tests of who is given what."""

from __future__ import annotations

from typing import Literal

import polars as pl


class Toy:
    """Says the same to every pair."""

    name = "toy"

    def __init__(
        self,
        word: Literal["entailment", "neutral"] = "entailment",
        *,
        batch_size: int | None = None,
        prompt: str = "plain",
        parses: str = "none",
    ) -> None:
        """Take the options.

        Args:
            word: what it says.
            batch_size: how many pairs at a time.
            prompt: how it is asked.
            parses: an option that a set has too.
        """
        self.name = f"toy:{word}"
        self.word = word
        self.batch_size = batch_size
        self.prompt = prompt
        self.parses = parses

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Say the word; the prompt that asks for the contrary gets it."""
        return pairs.select("id", label=pl.lit("contradiction" if "false" in self.prompt else self.word))
