"""The pairs of a corpus as they are: what a model does with them before a stress test changes anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.core.edits import SOURCE, source_tags
from rightreasons.core.labels import THREE
from rightreasons.core.parts import SetPart
from rightreasons.corpora import read_corpus
from rightreasons.sets.corpus_set import POCKET, Sample, Short, TablePlan, check_eval, corpus_plan

if TYPE_CHECKING:
    import polars as pl


def unchanged(pairs: pl.DataFrame) -> pl.DataFrame:
    """Give the pairs of a corpus the tags that the sets made from it have; ids stay, so other sets name them."""
    return pairs.select("id", "premise", "hypothesis", "label", *source_tags(Source.name, "source"))


class Source(SetPart):
    """Source: the pairs of the corpus unchanged, to tell what each stress test costs a model."""

    name = "stress/source"
    version = 1
    labels: tuple[str, ...] = THREE
    paper = "Naik et al. 2018"
    tags = SOURCE

    def __init__(self, *, corpus: tuple[str, ...] = POCKET, short: Short = "refuse") -> None:
        """Take the options.

        Args:
            corpus: files of pairs, hf:NAME, or pocket for the pairs inside the package.
            short: refuse to give fewer pairs than were asked for, or allow it.
        """
        self.corpus = corpus
        self.short: Short = short

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TablePlan:
        """Plan a sample of the corpus: `size` or `limit` of its pairs, or all."""
        check_eval(self.name, split)
        corpus = read_corpus(self.corpus)
        return corpus_plan(
            self,
            unchanged(corpus.pairs),
            Sample(size, limit, seed, split),
            options={"corpus": list(self.corpus)},
            sources=corpus.card.sources,
            remarks=corpus.card.remarks,
        )
