"""Random Pair: premises with hypotheses that were written for others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import polars as pl

from rightreasons.core.errors import InputError, TooFewPairsError
from rightreasons.core.options import option
from rightreasons.core.parts import SetPart
from rightreasons.sets.corpus_set import (
    HINT,
    POCKET,
    SHORT_HELP,
    Sample,
    Short,
    check_eval_split,
    plan_corpus_set,
)
from rightreasons.sets.random_pair.content_words import is_generic
from rightreasons.sets.random_pair.pairing import (
    Sides,
    join_corpora,
    list_hypotheses,
    list_premises,
    shorten_corpus_names,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.sets.corpus_set import TablePlan

Generic = Literal["drop", "keep"]
Sources = Literal["corpus", "genre"]
PREMISES = 1000
PER_SOURCE = 18


@dataclass(frozen=True, kw_only=True)
class RandomPair(SetPart):
    """Premises with hypotheses that were written for other premises."""

    name = "random-pair"
    version = 1
    labels = ("neutral",)
    paper = "Luo et al. 2021, submission"
    tags = (
        "set", "subcase", "group", "genre", "source_id", "premise_source", "hypothesis_source_id", "hypothesis_label",
    )  # fmt: skip

    corpus: tuple[str, ...] = option(
        POCKET, help="Corpora of the premises: files of pairs, hf:NAME, or pocket."
    )
    hypotheses: tuple[str, ...] | None = option(
        None, help="Corpora of the hypotheses; those of corpus if left out."
    )
    sources: Sources = option("corpus", help="What counts as one source of hypotheses: a corpus or a genre.")
    premises: int | None = option(None, help="Number of premises to draw; 1,000, or all if there are fewer.")
    per_source: int | None = option(
        None, help="Hypotheses per premise and source; 18, or all if there are fewer."
    )
    overlap: float = option(
        0.25, help="Largest share of content words that the shorter text may share with the other."
    )
    generic: Generic = option(
        "drop", help='Fragments and texts that fit any scene ("People are outside"): drop or keep.'
    )
    short: Short = option("refuse", help=SHORT_HELP)

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        for key, value in (("premises", self.premises), ("per_source", self.per_source)):
            if value is not None and value < 1:
                raise InputError(f"The option {key} is {value}. Ask for at least 1.")
        if not 0 <= self.overlap <= 1:
            raise InputError(f"The option overlap is {self.overlap}. Give a share from 0 to 1.")

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TablePlan:
        """Plan the pairs: all, or `size` of each source of hypotheses, or `limit` in all."""
        check_eval_split(self.name, split)
        corpora, digests, remarks = _read_corpora([*self.corpus, *(self.hypotheses or ())])
        sides, said = self.sides(corpora, seed)
        wanted = self.per_source or PER_SOURCE
        table = sides.filled(self.name, *sides.drawn(wanted, self.name, self.version))
        remarks += [*said, *self._shortages(sides, table)]
        made = plan_corpus_set(
            self, table, Sample(size, limit, seed, split), sources=digests,
            remarks=remarks,
        )  # fmt: skip
        made.card = replace(made.card, remarks=(*made.card.remarks, *_describe_label_shares(made.table)))
        return made

    def sides(self, corpora: Mapping[str, pl.DataFrame], seed: int) -> tuple[Sides, list[str]]:
        """Make premises and hypotheses ready, from corpora by their names; say how much there is."""
        short = dict(zip(corpora, shorten_corpus_names(list(corpora)), strict=True))
        pairs = join_corpora(
            {short[name]: table for name, table in corpora.items()}, by_genre=self.sources == "genre"
        )
        left = pairs.filter(pl.col("file").is_in([short[name] for name in self.corpus]))
        chosen = pl.Enum(list(dict.fromkeys(short[name] for name in self.hypotheses or self.corpus)))
        right = pairs.filter(pl.col("file").is_in(chosen.categories.to_list())).sort(
            pl.col("file").cast(chosen), "id"
        )
        premises = list_premises(left, self.name, self.version, seed)
        pool = list_hypotheses(right)
        generic = (
            is_generic(pool["hypothesis"])
            if self.generic == "drop"
            else pl.repeat(False, pool.height, eager=True)
        )
        found = _count_in_words(pool.height, "hypothesis", "hypotheses")
        said = [
            f"To draw from, each text counted once: {_count_in_words(premises.height, 'premise', 'premises')}, {found}."
        ]
        if generic.any():
            less = _count_in_words(int(generic.sum()), "hypothesis", "hypotheses")
            said.append(f"Left out, for they may follow from any scene or are fragments: {less}.")
        there = premises.height
        premises = premises.head(self._bounded(there))
        if self.premises is not None and self.premises > there:
            said.append(f"{self.premises:,} premises were asked for, and there are fewer.")
        return Sides(premises, pool.filter(~generic), pairs, self.overlap), said

    def _bounded(self, there: int) -> int:
        """Bound the number of premises by what there is; asking for more is an error unless that is allowed."""
        if self.premises is not None and self.premises > there and self.short != "allow":
            count = _count_in_words(there, "different premise", "different premises")
            raise TooFewPairsError(f"The corpus has {count}, and {self.premises:,} were requested. {HINT}")
        return min(there, self.premises or PREMISES)

    def _shortages(self, sides: Sides, table: pl.DataFrame) -> list[str]:
        """Report sources with too few hypotheses; raise an error if the number was set explicitly."""
        wanted = sides.premises.height * (self.per_source or PER_SOURCE)
        found = dict(table["subcase"].value_counts().rows())
        said = [
            f"{source} gives {_count_in_words(found.get(source, 0), 'pair', 'pairs')}, and {wanted:,} were wanted."
            for source, _ in sides.sources
            if found.get(source, 0) < wanted
        ]
        if said and self.per_source is not None and self.short != "allow":
            raise TooFewPairsError(f"{' '.join(said)} {HINT}")
        return said


def _count_in_words(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"


def _describe_label_shares(table: pl.DataFrame) -> list[str]:
    """Report the labels that the hypotheses of each source were written for: models may exploit them."""
    said = []
    for (source,), part in table.group_by(["subcase"], maintain_order=True):
        counts = part["hypothesis_label"].value_counts().sort("hypothesis_label")
        shares = ", ".join(f"{label} {count / part.height:.1%}" for label, count in counts.rows())
        said.append(f"Hypotheses of {source} were written as: {shares}.")
    return said


def _read_corpora(names: list[str]) -> tuple[dict[str, pl.DataFrame], dict[str, str], list[str]]:
    """Read every corpus once: its pairs, the digests of its files, what was dropped."""
    from rightreasons.corpora import read_corpus

    different = list(dict.fromkeys(names))
    found: dict[str, pl.DataFrame] = {}
    digests: dict[str, str] = {}
    remarks: list[str] = []
    for name, short in zip(different, shorten_corpus_names(different), strict=True):
        corpus = read_corpus(name)
        found[name] = corpus.pairs
        for file, digest in corpus.card.sources.items():
            digests[short if file in digests else file] = digest
        remarks += [f"{short}: {remark}" for remark in corpus.card.remarks]
    return found, digests, remarks
