"""Occurrences of verbs in the parses of a corpus, and how often each verb has each frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.trees import parse_tree
from rightreasons.language.frame_names import FRAMES, INCLUDED
from rightreasons.language.transcribed_speech import is_transcribed_speech
from rightreasons.language.verb_forms import VerbForms
from rightreasons.language.verb_frames import find_verb_frames

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.audits.audit_corpus import AuditCorpus

SIDES = {"premise": "premise_parse", "hypothesis": "hypothesis_parse"}
_LABELLED = r"\([^\s()]"  # a bracket with a label, which binary parses don't have
_FOUND_SCHEMA = {"sentence": pl.UInt32, "word": pl.Int64, "verb": pl.String, "frame": pl.String}
_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, eq=False)
class VerbOccurrences:
    """The occurrences of some verbs in a corpus, by sentence.

    `texts` has a row for each premise and hypothesis that is counted: its side, row, number of words, its sentence and
    its cluster, the pairs with the same premise. `sentences` are the distinct parses that may have one of the verbs,
    and `found` the occurrences in them: sentence, number of the word, verb and frame.
    """

    texts: pl.DataFrame
    sentences: pl.Series
    found: pl.DataFrame
    unusable: int  # texts without a parse, or with a broken one
    spoken: int  # transcripts of speech, which are left out

    @classmethod
    def from_corpus(cls, corpus: AuditCorpus, verbs: Sequence[str], *, speech: bool) -> VerbOccurrences:
        """Find the verbs in all parses; each distinct parse is read once."""
        texts = _list_parsed_texts(corpus)
        usable = texts.filter("usable")
        written = usable if speech else usable.filter(~pl.col("spoken"))
        forms = VerbForms.from_lemmas(verbs)
        parses = written.filter(_may_have_form(forms))["parse"].unique(maintain_order=True)
        found, broken = _classify_sentences(parses, forms)
        numbers = pl.DataFrame(
            {"parse": parses, "sentence": pl.int_range(len(parses), dtype=pl.UInt32, eager=True)}
        )
        counted = written.join(numbers, on="parse", how="left").filter(
            pl.col("sentence").is_null() | ~pl.col("sentence").is_in(broken)
        )
        return cls(
            counted.select("side", "row", "words", "sentence", "cluster"),
            parses,
            found,
            unusable=texts.height - usable.height + written.height - counted.height,
            spoken=usable.height - written.height,
        )

    @property
    def pairs(self) -> float:
        """The number of pairs with parses, transcripts of speech included: half the number of texts."""
        return (self.texts.height + self.spoken) / 2

    @cached_property
    def occurrences(self) -> pl.DataFrame:
        """Every occurrence in every text: verb, frame, sentence and cluster."""
        return self.texts.select("sentence", "cluster").drop_nulls().join(self.found, on="sentence")

    def count_frames(self, *, whole: bool) -> pl.DataFrame:
        """Count each verb in each frame: occurrences with a 95% confidence interval, and distinct sentences.

        With `whole`, an object with a complement is an object as well, and a verb with a prepositional phrase is
        intransitive as well.
        """
        groups = INCLUDED if whole else {}
        frames = [(part, frame) for frame in FRAMES for part in groups.get(frame, (frame,))]
        names = pl.DataFrame(frames, schema=["frame", "whole"], orient="row")
        several = self.occurrences.join(names, on="frame").select(
            "verb", "sentence", "cluster", frame="whole"
        )
        clusters = several.group_by("verb", "frame", "cluster").agg(n=pl.len().cast(pl.Int64))
        table = clusters.group_by("verb", "frame").agg(
            count=pl.col("n").sum(), squares=(pl.col("n") ** 2).sum()
        )
        sentences = several.group_by("verb", "frame").agg(
            sentences=pl.col("sentence").n_unique().cast(pl.Int64)
        )
        table = table.join(sentences, on=["verb", "frame"])
        return add_count_interval(table).sort("verb", "frame")


def add_count_interval(table: pl.DataFrame) -> pl.DataFrame:
    """Add a 95% confidence interval to counts of rare events, from the sum of squares of the clusters' counts.

    It is the score interval of a Poisson count, the limit of Wilson's interval. Events that come in clusters count as
    fewer: n events whose clusters have the counts c are as good as n² / Σc² single ones.
    """
    weight = (pl.col("squares") / pl.col("count")).fill_nan(1.0).fill_null(1.0)
    alone = pl.col("count") / weight
    middle, half = alone + _Z**2 / 2, _Z * (alone + _Z**2 / 4).sqrt()
    return table.with_columns(
        count_low=pl.when(pl.col("count") > 0).then((middle - half) * weight).otherwise(0.0),
        count_high=(middle + half) * weight,
    ).drop("squares")


def _list_parsed_texts(corpus: AuditCorpus) -> pl.DataFrame:
    """List premises and hypotheses with their parses, whether these are usable, and whether the text was spoken."""
    parts = []
    for side, column in SIDES.items():
        parse = pl.col("parse")
        balanced = parse.str.count_matches(r"\(") == parse.str.count_matches(r"\)")
        parts.append(
            corpus.pairs.select(
                pl.lit(side).alias("side"), pl.col(side).alias("text"), pl.col(column).alias("parse")
            )
            .with_row_index("row")
            .with_columns(
                usable=(balanced & parse.str.contains(_LABELLED)).fill_null(value=False),
                spoken=is_transcribed_speech(pl.col("text")).fill_null(value=False),
                words=pl.col("text").str.count_matches(r"\S+"),
                cluster=pl.Series(corpus.premise_groups),
            )
        )
    return pl.concat(parts)


def _may_have_form(forms: VerbForms) -> pl.Expr:
    """Return whether a parse has a word with the tag of a verb that is a form of one of the verbs."""
    words = "|".join(forms.words)
    return pl.col("parse").str.contains(rf"(?i)\(VB[A-Z]?\s+(?:{words})\s*\)")


def _classify_sentences(parses: pl.Series, forms: VerbForms) -> tuple[pl.DataFrame, list[int]]:
    """Return the occurrences in some parses, and the numbers of the broken parses."""
    rows, broken = [], []
    for number, parse in enumerate(parses):
        try:
            tree = parse_tree(parse)
        except InputError:
            broken.append(number)
            continue
        rows += [(number, one.word, one.lemma, one.frame) for one in find_verb_frames(tree, forms)]
    return pl.DataFrame(rows, schema=_FOUND_SCHEMA, orient="row"), broken
