"""Negation words on their own: how often each occurs, and with which labels.

A model that takes negation for contradiction is right more often than chance where hypotheses with a negation word are
mostly contradictions, which is why annotators' habit of negating the premise matters (Gururangan et al. 2018).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.audits.cue_occurrences import group_rows_by_cue
from rightreasons.audits.cue_statistics import measure_cues
from rightreasons.core.audit_result import AuditFigure
from rightreasons.core.exhibit import Exhibit
from rightreasons.core.labels import CONTRADICTION, NON_ENTAILMENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from rightreasons.audits.audit_corpus import AuditCorpus
    from rightreasons.audits.cue_statistics import CueCluster, CueStatistics
    from rightreasons.core.exhibit import Format
    from rightreasons.language.word_codes import WordColumn

    Flags = npt.NDArray[np.bool_]

ANY_NEGATION = "any"
CONTRACTED = "n't"  # and whatever ends with it: don't, isn't
NEGATION_WORDS = ("no", "not", "never", "nobody", "nothing", "none", "nowhere", "neither", "nor", CONTRACTED)
_FUSED = {"cannot": "not"}
_CAPTION = (
    "Pairs whose {side} has a negation word, and the share of each label among them. any: one of the words; n't: also "
    "at the end of a word, as in don't; not: also cannot. z and PMI are those of {label}. All are "
    "computed as for other cues."
)


def measure_negation(
    corpus: AuditCorpus, column: WordColumn, clusters: Sequence[CueCluster], side: str
) -> tuple[Exhibit, list[AuditFigure]]:
    """Count the labels of pairs with each negation word; the figure is the share of contradiction with any."""
    occurrences = group_rows_by_cue(_flag_negations(corpus.words.vocabulary, column))
    statistics = measure_cues(occurrences, corpus.label_codes, corpus.label_counts, clusters)
    label = choose_negated_label(corpus.labels)
    exhibit = _make_negation_exhibit(statistics, corpus.labels, label, side)
    place, figures = corpus.labels.index(label), []
    if statistics.n[-1] and label in (CONTRADICTION, NON_ENTAILMENT):
        low, high = (float(end[-1, place]) for end in statistics.interval)
        share, baseline = float(statistics.share[-1, place]), float(statistics.baseline[place])
        figures.append(AuditFigure("negation", share, int(statistics.n[-1]), low, high, baseline))
    return exhibit, figures


def choose_negated_label(labels: Sequence[str]) -> str:
    """Choose the label that negation may be taken for: contradiction, or else non-entailment."""
    return next((label for label in (CONTRADICTION, NON_ENTAILMENT) if label in labels), labels[-1])


def _flag_negations(vocabulary: pl.Series, column: WordColumn) -> list[Flags]:
    """Flag the texts with each negation word, and those with any."""
    word = pl.col("word").replace(_FUSED)
    kinds = vocabulary.to_frame("word").select(
        pl.when(word.str.ends_with(CONTRACTED)).then(pl.lit(CONTRACTED)).otherwise(word).alias("word")
    )
    numbers = (
        kinds["word"]
        .replace_strict(
            NEGATION_WORDS, range(len(NEGATION_WORDS)), default=len(NEGATION_WORDS), return_dtype=pl.Int64
        )
        .to_numpy()
    )
    # Any other word sets the last row, which is then overwritten.
    flags = np.zeros((len(NEGATION_WORDS) + 1, len(column.lengths)), dtype=bool)
    flags[numbers[column.codes], column.rows] = True
    flags[-1] = flags[:-1].any(axis=0)
    return list(flags)


def _make_negation_exhibit(
    statistics: CueStatistics, labels: Sequence[str], label: str, side: str
) -> Exhibit:
    low, high = statistics.interval
    known = pl.col("n") > 0
    shares = {
        f"{name}{end}": values[:, place]
        for place, name in enumerate(labels)
        for end, values in (("", statistics.share), ("_low", low), ("_high", high))
    }
    place = labels.index(label)
    figures = {**shares, "z": statistics.z[:, place], "PMI": statistics.pmi[:, place]}
    frame = pl.DataFrame(
        {"word": [*NEGATION_WORDS, ANY_NEGATION], "n": statistics.n, **figures}
    ).with_columns(
        pl.when(known & pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in figures
    )
    formats: dict[str, Format] = {
        "word": "text",
        "n": "count",
        **dict.fromkeys(labels, "percent"),
        "z": "decimal",
        "PMI": "decimal",
    }
    caption = _CAPTION.format(side=side, label=label)
    return Exhibit("cues-negation", "Negation words", caption, frame, formats)
