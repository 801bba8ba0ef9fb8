"""The pairs of a corpus as they are: what a model does with them before a stress test changes anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rightreasons.core.edits import SOURCE_TAGS, build_source_tags
from rightreasons.core.labels import THREE_LABELS
from rightreasons.core.options import option
from rightreasons.core.parts import SetPart
from rightreasons.corpora import read_corpus
from rightreasons.sets.corpus_set import (
    CORPUS_HELP,
    POCKET,
    SHORT_HELP,
    SampleRequest,
    Short,
    TablePlan,
    check_eval_split,
    plan_corpus_set,
)

if TYPE_CHECKING:
    import polars as pl


def tag_source_pairs(pairs: pl.DataFrame) -> pl.DataFrame:
    """Add the tags that sets made from a corpus have; ids stay, so that the source_id of other sets finds them."""
    return pairs.select("id", "premise", "hypothesis", "label", *build_source_tags(Source.name, "source"))


@dataclass(frozen=True, kw_only=True)
class Source(SetPart):
    """Source: the pairs of the corpus unchanged, to tell what each stress test costs a model."""

    name = "stress/source"
    version = 1
    labels = THREE_LABELS
    paper = "Naik et al. 2018"
    tags = SOURCE_TAGS

    corpus: tuple[str, ...] = option(POCKET, help=CORPUS_HELP)
    short: Short = option("refuse", help=SHORT_HELP)

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TablePlan:
        """Plan a sample of the corpus: `size` or `limit` of its pairs, or all."""
        check_eval_split(self.name, split)
        corpus = read_corpus(self.corpus)
        return plan_corpus_set(
            self,
            tag_source_pairs(corpus.pairs),
            SampleRequest(size, limit, seed, split),
            sources=corpus.card.sources,
            remarks=corpus.card.remarks,
        )
