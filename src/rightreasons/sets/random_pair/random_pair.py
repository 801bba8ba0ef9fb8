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
    SampleRequest,
    Short,
    check_eval_split,
    plan_corpus_set,
)
from rightreasons.sets.random_pair.content_words import mark_generic_texts
from rightreasons.sets.random_pair.pairing import (
    PairSampler,
    concatenate_corpora,
    list_distinct_hypotheses,
    shorten_corpus_names,
    shuffle_distinct_premises,
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
        None, help="Corpora of the hypotheses. Default: those of the option corpus."
    )
    sources: Sources = option("corpus", help="What counts as one source of hypotheses: a corpus or a genre.")
    premises: int | None = option(
        None, help="Number of premises to draw. Default: 1,000, or all if there are fewer."
    )
    per_source: int | None = option(
        None, help="Hypotheses per premise and source. Default: 18, or all if there are fewer."
    )
    overlap: float = option(
        0.25, help="Maximum proportion of the shorter text's content words that may occur in the other text."
    )
    generic: Generic = option(
        "drop", help='Fragments and texts that fit any scene ("People are outside"): drop or keep.'
    )
    short: Short = option("refuse", help=SHORT_HELP)

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        for key, value in (("premises", self.premises), ("per_source", self.per_source)):
            if value is not None and value < 1:
                raise InputError(f"The option {key} is {value}. Use at least 1.")
        if not 0 <= self.overlap <= 1:
            raise InputError(f"The option overlap is {self.overlap}. Use a number from 0 to 1.")

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TablePlan:
        """Plan the pairs: all, or `size` of each source of hypotheses, or `limit` in all."""
        check_eval_split(self.name, split)
        corpora, digests, remarks = _read_corpora([*self.corpus, *(self.hypotheses or ())])
        sampler, counts = self.prepare_sampler(corpora, seed)
        wanted = self.per_source or PER_SOURCE
        table = sampler.build_random_pairs(self.name, *sampler.draw_pairs(wanted, self.name, self.version))
        remarks += [*counts, *self._report_shortages(sampler, table)]
        plan = plan_corpus_set(
            self, table, SampleRequest(size, limit, seed, split), sources=digests,
            remarks=remarks,
        )  # fmt: skip
        plan.card = replace(plan.card, remarks=(*plan.card.remarks, *_describe_label_shares(plan.table)))
        return plan

    def prepare_sampler(
        self, corpora: Mapping[str, pl.DataFrame], seed: int
    ) -> tuple[PairSampler, list[str]]:
        """Prepare premises and hypotheses from corpora by name; report how many there are."""
        short = dict(zip(corpora, shorten_corpus_names(list(corpora)), strict=True))
        pairs = concatenate_corpora(
            {short[name]: table for name, table in corpora.items()}, by_genre=self.sources == "genre"
        )
        left = pairs.filter(pl.col("file").is_in([short[name] for name in self.corpus]))
        chosen = pl.Enum(list(dict.fromkeys(short[name] for name in self.hypotheses or self.corpus)))
        right = pairs.filter(pl.col("file").is_in(chosen.categories.to_list())).sort(
            pl.col("file").cast(chosen), "id"
        )
        premises = shuffle_distinct_premises(left, self.name, self.version, seed)
        pool = list_distinct_hypotheses(right)
        generic = (
            mark_generic_texts(pool["hypothesis"])
            if self.generic == "drop"
            else pl.repeat(False, pool.height, eager=True)
        )
        hypotheses = _format_count_of(pool.height, "hypothesis", "hypotheses")
        remarks = [
            f"Pool of distinct texts: {_format_count_of(premises.height, 'premise', 'premises')}, {hypotheses}."
        ]
        if generic.any():
            less = _format_count_of(int(generic.sum()), "hypothesis", "hypotheses")
            remarks.append(f"Left out because they fit any scene or are fragments: {less}.")
        there = premises.height
        premises = premises.head(self._compute_premise_count(there))
        if self.premises is not None and self.premises > there:
            remarks.append(f"{self.premises:,} premises were requested, but there are fewer.")
        return PairSampler(premises, pool.filter(~generic), pairs, self.overlap), remarks

    def _compute_premise_count(self, there: int) -> int:
        """Bound the number of premises by what there is; asking for more is an error unless that is allowed."""
        if self.premises is not None and self.premises > there and self.short != "allow":
            count = _format_count_of(there, "different premise", "different premises")
            raise TooFewPairsError(f"The corpus has {count}, but {self.premises:,} were requested. {HINT}")
        return min(there, self.premises or PREMISES)

    def _report_shortages(self, sampler: PairSampler, table: pl.DataFrame) -> list[str]:
        """Report sources with too few hypotheses; raise an error if the number was set explicitly."""
        wanted = sampler.premises.height * (self.per_source or PER_SOURCE)
        counts = dict(table["subcase"].value_counts().rows())
        shortages = [
            f"{source} gives {_format_count_of(counts.get(source, 0), 'pair', 'pairs')}, and {wanted:,} were requested."
            for source, _ in sampler.sources
            if counts.get(source, 0) < wanted
        ]
        if shortages and self.per_source is not None and self.short != "allow":
            raise TooFewPairsError(f"{' '.join(shortages)} {HINT}")
        return shortages


def _format_count_of(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"


def _describe_label_shares(table: pl.DataFrame) -> list[str]:
    """Report the labels that the hypotheses of each source were written for: models may exploit them."""
    remarks = []
    for (source,), part in table.group_by(["subcase"], maintain_order=True):
        counts = part["hypothesis_label"].value_counts().sort("hypothesis_label")
        shares = ", ".join(f"{label} {count / part.height:.1%}" for label, count in counts.rows())
        remarks.append(f"Hypotheses of {source} by the label that they were written for: {shares}.")
    return remarks


def _read_corpora(names: list[str]) -> tuple[dict[str, pl.DataFrame], dict[str, str], list[str]]:
    """Read every corpus once: its pairs, the digests of its files, what was dropped."""
    from rightreasons.corpora import read_corpus

    different = list(dict.fromkeys(names))
    corpora: dict[str, pl.DataFrame] = {}
    digests: dict[str, str] = {}
    remarks: list[str] = []
    for name, short in zip(different, shorten_corpus_names(different), strict=True):
        corpus = read_corpus(name)
        corpora[name] = corpus.pairs
        for file, digest in corpus.card.sources.items():
            digests[short if file in digests else file] = digest
        remarks += [f"{short}: {remark}" for remark in corpus.card.remarks]
    return corpora, digests, remarks
