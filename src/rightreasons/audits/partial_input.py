"""How often a part of the pair gives the gold label away: the hypothesis, the premise, or overlap and length alone.

A classifier that sees a part of the pair can't infer anything. What it gets right above the majority baseline, it owes
to how the corpus was written (Gururangan et al. 2018, Poliak et al. 2018), and so may a model that is trained on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons.audits.cross_validation import assign_folds, predict_out_of_fold
from rightreasons.audits.word_features import encode_overlap_and_length, encode_words
from rightreasons.core.audit_result import AuditFigure, AuditResult
from rightreasons.core.exhibit import Exhibit
from rightreasons.core.options import option, require_at_least
from rightreasons.core.pairs import TEXTS
from rightreasons.core.parts import Audit
from rightreasons.scoring.paired import compute_difference_interval
from rightreasons.scoring.proportion import compute_clustered_proportion

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from rightreasons.audits.audit_corpus import AuditCorpus
    from rightreasons.audits.cross_validation import Folds
    from rightreasons.core.exhibit import Format
    from rightreasons.scoring.proportion import Proportion

HYPOTHESIS, PREMISE, OVERLAP, MAJORITY = "hypothesis", "premise", "overlap", "majority"
_TITLES = {
    HYPOTHESIS: "hypothesis alone",
    PREMISE: "premise alone",
    OVERLAP: "overlap and length",
    MAJORITY: "majority baseline",
}
HARD = "hard"
_TIE_DECIMALS = 6  # probabilities that agree to these are equal, and the first label is predicted
_CAPTION = (
    "Accuracy of logistic regressions that see a part of each pair, in {count}-fold cross-validation: the words and "
    "bigrams of the hypothesis, the words of the premise, or measures of overlap and length. Pairs that share a "
    "{joined} are in one fold. The majority baseline is the most frequent gold label; under each gold label stands the "
    "share of its pairs that are predicted correctly. 95% confidence intervals, cluster-robust if pairs share a "
    "premise, source or group."
)
_GENRE_CAPTION = (
    "Accuracy of the same predictions by genre, next to the share of the most frequent gold label of that genre. "
    "95% confidence intervals as above."
)
_EXAMPLE_CAPTION = (
    "For each gold label, the pairs that the classifier predicts correctly from the hypothesis alone with the highest "
    "probability; different hypotheses only."
)


@dataclass(frozen=True, kw_only=True)
class PartialInputAudit(Audit):
    """Classifiers on the hypothesis alone, the premise alone, and overlap and length alone."""

    name = "partial-input"
    folds: int = option(5, help="Number of folds of the cross-validation.")
    seed: int = option(0, help="Seed of the folds.")
    examples: int = option(5, help="Number of pairs to show for each gold label.")
    hard: bool = option(
        False, help="Write the pairs that are not predicted correctly from the hypothesis alone as a set."
    )

    def __post_init__(self) -> None:
        """Check the options."""
        require_at_least("folds", self.folds, 2)
        require_at_least("examples", self.examples, 0)

    def audit(self, corpus: AuditCorpus) -> AuditResult:
        """Predict each pair from its parts with classifiers trained on other premises."""
        corpus = corpus.labelled
        folds = assign_folds(corpus, self.folds, self.seed)
        if folds.count < 2:  # noqa: PLR2004 - there is nothing to train on outside a single fold
            remark = (
                "All pairs share one premise or group, so no classifier can be tested on pairs of another."
            )
            return AuditResult((), remarks=(remark,))
        guesses = _predict_from_parts(corpus, folds)
        exhibits = [_make_accuracy_exhibit(guesses, folds)]
        if corpus.has_values("genre"):
            exhibits.append(_make_accuracy_by_genre_exhibit(guesses))
        exhibits.append(_make_giveaway_exhibit(guesses, self.examples))
        baseline = guesses.count_right(MAJORITY).share
        rights = {part: guesses.count_right(part) for part in guesses.probabilities}
        figures = (
            AuditFigure(part, right.share or 0.0, right.n, right.low, right.high, baseline)
            for part, right in rights.items()
        )
        return AuditResult(
            tuple(exhibits),
            tuple(figures),
            _summarize_hypothesis(guesses),
            (*_list_fold_remarks(folds, self.folds), *_list_repetition_remarks(guesses, folds)),
            {HARD: corpus.pairs.filter(~guesses.right[HYPOTHESIS])} if self.hard else {},
        )


@dataclass(frozen=True, eq=False)
class _PartialGuesses:
    """The probabilities of the labels of each pair by the part that the classifier sees."""

    corpus: AuditCorpus
    probabilities: dict[str, npt.NDArray[np.float64]]  # (pairs, labels)

    @cached_property
    def right(self) -> pl.DataFrame:
        """Whether each part, and the majority baseline, gives the gold label of each pair."""
        codes = self.corpus.label_codes
        hits = {
            part: np.round(each, _TIE_DECIMALS).argmax(axis=1) == codes
            for part, each in self.probabilities.items()
        }
        return pl.DataFrame({**hits, MAJORITY: codes == self.corpus.label_counts.argmax()})

    def count_right(self, part: str, among: pl.Series | None = None) -> Proportion:
        """Compute the accuracy, over all pairs or some."""
        hits, clusters = self.right[part], self.corpus.sharing.clusters
        if among is None:
            return compute_clustered_proportion(hits, clusters)
        return compute_clustered_proportion(
            hits.filter(among), None if clusters is None else clusters.filter(among)
        )

    def compute_gain(self, part: str) -> tuple[float, float, float]:
        """Compute the accuracy above the majority baseline, with the interval of a paired difference."""
        part_right, base_right = pl.col(part), pl.col(MAJORITY)
        flags = (pl.lit(value=True), part_right & ~base_right, base_right & ~part_right)
        counts = self.right.select(flag.cast(pl.Int64).alias(str(place)) for place, flag in enumerate(flags))
        n, only_part, only_base = counts.sum().row(0)
        return (only_part - only_base) / n, *compute_difference_interval(counts, self.corpus.sharing.clusters)


def _predict_from_parts(corpus: AuditCorpus, folds: Folds) -> _PartialGuesses:
    """Predict the gold labels from each part; the features of a part are dropped before the next."""
    logs = {
        part: predict_out_of_fold(features, corpus.label_codes, len(corpus.labels), folds)
        for part, features in _iterate_features(corpus)
    }
    return _PartialGuesses(corpus, {part: np.exp(each) for part, each in logs.items()})


def _iterate_features(corpus: AuditCorpus) -> Iterator[tuple[str, Any]]:
    words, size = corpus.words, len(corpus.words.vocabulary)
    yield HYPOTHESIS, encode_words(words.hypothesis, size, bigrams=True)
    yield PREMISE, encode_words(words.premise, size, bigrams=False)
    yield OVERLAP, encode_overlap_and_length(words)


def _make_accuracy_exhibit(guesses: _PartialGuesses, folds: Folds) -> Exhibit:
    labels = guesses.corpus.labels
    frame = pl.DataFrame([_make_part_row(guesses, part) for part in _TITLES], infer_schema_length=None)
    formats: dict[str, Format] = {
        "input": "text",
        "n": "count",
        "accuracy": "percent",
        "gain": "points",
        **dict.fromkeys(labels, "percent"),
    }
    joined = " or a ".join(name.removesuffix("_id") for name in folds.joined)
    return Exhibit(
        "partial-input",
        "Accuracy from a part of the pair",
        _CAPTION.format(count=folds.count, joined=joined),
        frame,
        formats,
        chart=_draw_accuracies(),
        headings={"gain": "gain over majority"},
    )


def _make_part_row(guesses: _PartialGuesses, part: str) -> dict[str, Any]:
    """Make a row: accuracy, gain over the majority baseline, and accuracy by gold label."""
    right = guesses.count_right(part)
    gain = dict.fromkeys(("gain", "gain_low", "gain_high"))
    if part != MAJORITY:
        gain = dict(zip(gain, guesses.compute_gain(part), strict=True))
    by_label = (
        guesses.count_right(part, guesses.corpus.pairs["label"] == label).to_columns(label)
        for label in guesses.corpus.labels
    )
    row = {"input": _TITLES[part], "n": right.n, **right.to_columns("accuracy"), **gain}
    return row | {name: value for columns in by_label for name, value in columns.items()}


def _draw_accuracies() -> dict[str, Any]:
    """Draw a dot with its interval for each part, and a line at the majority baseline."""
    part = {"field": "input", "type": "nominal", "sort": None, "title": None}
    accuracy = {
        "field": "accuracy",
        "type": "quantitative",
        "scale": {"domain": [0, 1]},
        "axis": {"format": "%"},
        "title": "accuracy",
    }
    interval = {"x": {**accuracy, "field": "accuracy_low"}, "x2": {"field": "accuracy_high"}, "y": part}
    is_base = f"datum.input == '{_TITLES[MAJORITY]}'"
    return {
        "layer": [
            {
                "transform": [{"filter": is_base}],
                "mark": {"type": "rule", "strokeDash": [4, 4]},
                "encoding": {"x": accuracy},
            },
            {"transform": [{"filter": f"!({is_base})"}], "mark": "rule", "encoding": interval},
            {
                "transform": [{"filter": f"!({is_base})"}],
                "mark": {"type": "point", "filled": True, "tooltip": True},
                "encoding": {"x": accuracy, "y": part},
            },
        ],
    }


def _make_accuracy_by_genre_exhibit(guesses: _PartialGuesses) -> Exhibit:
    """Make a row for each genre; the last is over all pairs."""
    pairs = guesses.corpus.pairs
    rows = []
    for genre, inside in guesses.corpus.flag_genres():
        most = max(int((inside & (pairs["label"] == label)).sum()) for label in guesses.corpus.labels)
        rights = {_TITLES[part]: guesses.count_right(part, inside) for part in guesses.probabilities}
        columns = [right.to_columns(title) for title, right in rights.items()]
        shares = {name: value for each in columns for name, value in each.items()}
        n = int(inside.sum())
        rows.append({"genre": genre, "n": n, **shares, _TITLES[MAJORITY]: most / n})
    shown = [_TITLES[part] for part in (*guesses.probabilities, MAJORITY)]
    formats: dict[str, Format] = {"genre": "text", "n": "count", **dict.fromkeys(shown, "percent")}
    title = "Accuracy from a part of the pair, by genre"
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return Exhibit("partial-input-genre", title, _GENRE_CAPTION, frame, formats)


def _make_giveaway_exhibit(guesses: _PartialGuesses, count: int) -> Exhibit:
    """List the pairs of each label whose hypotheses give it away with the highest probability."""
    corpus = guesses.corpus
    gold = guesses.probabilities[HYPOTHESIS][np.arange(len(corpus)), corpus.label_codes]
    pairs = corpus.pairs.with_columns(probability=pl.Series(gold).round(_TIE_DECIMALS))
    ordered = pairs.filter(guesses.right[HYPOTHESIS]).sort(
        -pl.col("probability"), pl.col("hypothesis"), pl.col("id")
    )
    several = [
        ordered.filter(pl.col("label") == label).unique("hypothesis", keep="first", maintain_order=True)[
            :count
        ]
        for label in corpus.labels
    ]
    formats: dict[str, Format] = {
        "label": "text",
        "probability": "percent",
        **dict.fromkeys(TEXTS, "passage"),
        "id": "text",
    }
    frame = pl.concat(several).select(*formats)
    title = "Pairs that the hypothesis gives away"
    return Exhibit("partial-input-examples", title, _EXAMPLE_CAPTION, frame, formats)


def _summarize_hypothesis(guesses: _PartialGuesses) -> str:
    right, base = guesses.count_right(HYPOTHESIS), guesses.count_right(MAJORITY).share or 0.0
    _, low, _ = guesses.compute_gain(HYPOTHESIS)
    figure = (
        f"A logistic regression on the hypothesis alone predicts {right.share:.1%} [{right.low:.1%}, {right.high:.1%}] "
        f"of the gold labels; the majority baseline is {base:.1%}"
    )
    if low > 0:
        return f"{figure}. A model trained on the corpus can reach this accuracy without reading the premise."
    return f"{figure}. No gain over the baseline is shown."


def _list_fold_remarks(folds: Folds, wanted: int) -> Iterator[str]:
    """List what the folds could not respect."""
    if folds.count < wanted:
        yield f"The pairs have {folds.count} groups that share a premise or group, so there are {folds.count} folds."
    for name in folds.crossed:
        yield f"Pairs that share a {name} may be in different folds: keeping them together would join nearly all pairs."


def _list_repetition_remarks(guesses: _PartialGuesses, folds: Folds) -> Iterator[str]:
    """Note how many pairs have a hypothesis that occurs in another fold too, and the accuracy on the others."""
    table = pl.DataFrame({"hypothesis": guesses.corpus.pairs["hypothesis"].hash(), "fold": folds.numbers})
    spread = pl.col("fold").min().over("hypothesis") != pl.col("fold").max().over("hypothesis")
    repeated = table.select(spread).to_series()
    if not repeated.any():
        return
    others = guesses.count_right(HYPOTHESIS, ~repeated).share
    rest = (
        "" if others is None else f"; on the others, the accuracy from the hypothesis alone is {others:.1%}"
    )
    yield (
        f"{repeated.sum():,} pairs ({repeated.sum() / len(repeated):.1%}) have a hypothesis that also occurs in "
        f"another fold, with another premise{rest}."
    )
