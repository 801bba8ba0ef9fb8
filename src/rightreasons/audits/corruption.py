"""How often a model still predicts the gold label of pairs that no longer say what the annotators read.

With its words in random order, without its verbs or without its premise, a pair rarely tells its label. A model that
stays right on such pairs follows what the corruption left (Talman et al. 2021), and was not reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.audits.corrupted_predictions import (
    INTACT,
    draw_stratified_sample,
    predict_corrupted_pairs,
    refuse_unsuited_model,
)
from rightreasons.audits.text_corruptions import CORRUPTIONS
from rightreasons.core import registry
from rightreasons.core.audit_result import AuditFigure, AuditResult
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.exhibit import Exhibit
from rightreasons.core.keyed_random import draw_numbers
from rightreasons.core.labels import LABELS
from rightreasons.core.options import option, require_at_least
from rightreasons.core.pairs import TEXTS
from rightreasons.core.parts import Audit, complete_model
from rightreasons.scoring.confusions import WITHOUT_LABEL, compute_prediction_shares

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rightreasons.audits.audit_corpus import AuditCorpus
    from rightreasons.audits.corrupted_predictions import CorruptedPairs, CorruptedPredictions
    from rightreasons.core.exhibit import Format
    from rightreasons.core.parts import Model

# What a summary names, most telling first.
_TELLING = {
    "premise-removed": "without the premise",
    "premise-exchanged": "with the premise of another pair",
    "words-shuffled": "with the words in random order",
}
_NAMED = 2  # corruptions in a summary
_CAPTION = (
    "Accuracy of a model on a sample of pairs as they are (intact), and on those that each corruption changes. "
    "Before: accuracy on the same pairs as they are. Still correct: the share of the pairs predicted correctly before "
    "that are predicted correctly after. 95% confidence intervals, cluster-robust if pairs share a premise, source or "
    "group."
)
_LABEL_CAPTION = (
    "Share of each predicted label over the pairs that the corruption changes. 95% confidence intervals."
)
_EXAMPLE_CAPTION = (
    "A random sample of the corrupted pairs that the model predicts correctly, as it did before."
)


@dataclass(frozen=True, kw_only=True)
class CorruptionAudit(Audit):
    """A model on pairs with words shuffled, word classes deleted, or a text removed or exchanged."""

    name = "corruption"
    model: Any = option(help="Model to run, by its name as printed by list models.")
    model_options: str = option(
        "",
        help="Options of the model, KEY=VALUE separated by semicolons, such as max_length=128;batch_size=8.",
    )
    corruptions: tuple[str, ...] = option((), help="Corruptions to apply, separated by commas. Default: all.")
    size: int | None = option(1_000, help="Number of pairs to sample, stratified by label; none for all.")
    examples: int = option(2, help="Number of pairs to show for each corruption.")
    seed: int = option(0, help="Seed of the sample and of the corruptions.")

    def __post_init__(self) -> None:
        """Check the options."""
        require_at_least("size", 1 if self.size is None else self.size, 1)
        require_at_least("examples", self.examples, 0)
        for name in self.corruptions:
            if name not in CORRUPTIONS:
                raise UnknownNameError("corruption", name, CORRUPTIONS)

    def precheck(self) -> None:
        """Build the model, and refuse one that can't be run on corrupted pairs."""
        refuse_unsuited_model(self._model)
        self._model.precheck()

    def audit(self, corpus: AuditCorpus) -> AuditResult:
        """Run the model on a sample of the pairs, as they are and corrupted."""
        model = self._model
        refuse_unsuited_model(model)
        pairs = corpus.labelled.pairs
        whole = pairs.filter(pl.all_horizontal(pl.col(text).str.contains(r"\S") for text in TEXTS))
        sample = draw_stratified_sample(whole, self.size, self.seed)
        if sample.is_empty():
            return AuditResult(
                (), remarks=("No pair has two texts and a gold label, so the model was not run.",)
            )
        predicted = predict_corrupted_pairs(model, sample, self.corruptions or tuple(CORRUPTIONS), self.seed)
        exhibits = (
            _make_corruption_exhibit(predicted),
            _make_predicted_label_exhibit(predicted),
            _make_still_correct_exhibit(predicted, self.examples, self.seed),
        )
        remarks = [f"{name} changes none of the pairs." for name in predicted.idle]
        if sample.height < pairs.height:
            remarks.insert(
                0, f"The model was run on a sample of {sample.height:,} of {pairs.height:,} pairs."
            )
        return AuditResult(
            exhibits,
            tuple(_list_corruption_figures(predicted)),
            _summarize_corruptions(predicted),
            (*remarks, *predicted.warnings),
        )

    @cached_property
    def _model(self) -> Model:
        """The model, built by its name, or an object with predict, which can't have options."""
        given = {}
        for text in filter(None, (part.strip() for part in self.model_options.split(";"))):
            key, equals, value = text.partition("=")
            if not equals:
                raise InputError(f"{text!r} in the option model_options is not KEY=VALUE. Use batch_size=8.")
            given[key.strip()] = value.strip()
        if isinstance(self.model, str):
            return registry.make_model(self.model, given)
        if given:
            raise InputError(
                "model_options were given for a model that was passed as an object. Set them on the object itself."
            )
        return complete_model(self.model)


def _make_corruption_exhibit(predicted: CorruptedPredictions) -> Exhibit:
    rows = [_make_intact_row(predicted.intact), *map(_make_corruption_row, predicted.changed)]
    formats: dict[str, Format] = {
        "corruption": "text",
        "n": "count",
        "before": "percent",
        "accuracy": "percent",
        "change": "points",
        "still correct": "percent",
        "same prediction": "percent",
        "majority baseline": "percent",
    }
    title, frame = (
        f"Accuracy of {predicted.model} on corrupted pairs",
        pl.DataFrame(rows, infer_schema_length=None),
    )
    return Exhibit("corruption", title, _CAPTION, frame, formats, chart=_draw_corrupted_accuracies())


def _make_intact_row(intact: CorruptedPairs) -> dict[str, Any]:
    accuracy = intact.accuracy
    row = {"corruption": INTACT, "n": accuracy.n, **accuracy.to_columns("accuracy")}
    return row | {"majority baseline": intact.majority}


def _make_corruption_row(changed: CorruptedPairs) -> dict[str, Any]:
    change = dict(zip(("change", "change_low", "change_high"), changed.compute_change(), strict=True))
    return {
        "corruption": changed.name.replace("-", " "),
        "n": changed.table.height,
        **changed.accuracy_before.to_columns("before"),
        **changed.accuracy.to_columns("accuracy"),
        **change,
        **changed.still_correct.to_columns("still correct"),
        **changed.same_prediction.to_columns("same prediction"),
        "majority baseline": changed.majority,
    }


def _draw_corrupted_accuracies() -> dict[str, Any]:
    """Draw a dot with its interval for each corruption, and a tick at the majority baseline."""
    corruption = {"field": "corruption", "type": "nominal", "sort": None, "title": None}
    accuracy = {
        "field": "accuracy",
        "type": "quantitative",
        "scale": {"domain": [0, 1]},
        "axis": {"format": "%"},
        "title": "accuracy (tick: majority baseline)",
    }
    interval = {"x": {**accuracy, "field": "accuracy_low"}, "x2": {"field": "accuracy_high"}, "y": corruption}
    baseline = {"x": {**accuracy, "field": "majority baseline"}, "y": corruption}
    return {
        "layer": [
            {"mark": {"type": "tick", "thickness": 2, "color": "gray"}, "encoding": baseline},
            {"mark": "rule", "encoding": interval},
            {
                "mark": {"type": "point", "filled": True, "tooltip": True},
                "encoding": {"x": accuracy, "y": corruption},
            },
        ],
    }


def _make_predicted_label_exhibit(predicted: CorruptedPredictions) -> Exhibit:
    """Make a row for each corruption: which labels the model predicts."""
    several = (predicted.intact, *predicted.changed)
    words = {
        word for each in several for column in ("prediction", "gold") for word in each.table[column].unique()
    }
    labels = [label for label in LABELS if label in words]
    rows = []
    for each in several:
        shares = compute_prediction_shares(each.table, pl.DataFrame(), labels, each.clusters)
        rows.append(shares.select(pl.lit(each.name.replace("-", " ")).alias("corruption"), pl.all()))
    frame = pl.concat(rows, how="diagonal_relaxed")
    shown = [label for label in (*labels, WITHOUT_LABEL) if label in frame.columns]
    formats: dict[str, Format] = {"corruption": "text", "n": "count", **dict.fromkeys(shown, "percent")}
    title = f"Labels that {predicted.model} predicts for corrupted pairs"
    return Exhibit("corruption-labels", title, _LABEL_CAPTION, frame, formats)


def _make_still_correct_exhibit(predicted: CorruptedPredictions, count: int, seed: int) -> Exhibit:
    """Draw pairs of each corruption that the model predicts correctly before and after."""
    formats: dict[str, Format] = {
        "corruption": "text",
        "label": "text",
        **dict.fromkeys(TEXTS, "passage"),
        "id": "text",
    }
    frames = [pl.DataFrame(schema=dict.fromkeys(formats, pl.String))]
    for each in predicted.changed:
        stays = each.table.filter("right", "right_before")
        drawn = pl.Series(draw_numbers(stays["id"], "still correct", seed))
        chosen = stays[drawn.arg_sort()[:count]]
        corruption = pl.lit(each.name.replace("-", " ")).alias("corruption")
        frames.append(chosen.select(corruption, pl.col("gold").alias("label"), *TEXTS, "id"))
    title = f"Corrupted pairs that {predicted.model} still predicts correctly"
    return Exhibit("corruption-examples", title, _EXAMPLE_CAPTION, pl.concat(frames), formats)


def _list_corruption_figures(predicted: CorruptedPredictions) -> Iterator[AuditFigure]:
    """List the accuracy on intact pairs, and for each corruption accuracy, change and share of same predictions."""
    for each in (predicted.intact, *predicted.changed):
        right = each.accuracy
        yield AuditFigure(each.name, right.share or 0.0, right.n, right.low, right.high, each.majority)
    for each in predicted.changed:
        change, low, high = each.compute_change()
        yield AuditFigure(f"{each.name}.change", change, each.table.height, low, high)
        same = each.same_prediction
        yield AuditFigure(f"{each.name}.same", same.share or 0.0, same.n, same.low, same.high)


def _summarize_corruptions(predicted: CorruptedPredictions) -> str:
    """Say how accurate the model stays under the most telling corruptions."""
    known = {each.name: each for each in predicted.changed}
    named = list(dict.fromkeys(name for name in (*_TELLING, *known) if name in known))
    if "premise-removed" in named:
        named = [name for name in named if name != "premise-exchanged"]
    if not named:
        return ""
    parts = []
    for name in named[:_NAMED]:
        right, way = known[name].accuracy, _TELLING.get(name, f"with {name.replace('-', ' ')}")
        parts.append(f"{right.share:.1%} [{right.low:.1%}, {right.high:.1%}] {way}")
    intact = predicted.intact
    return (
        f"{predicted.model} predicts {intact.accuracy.share:.1%} of the gold labels, {' and '.join(parts)}; the "
        f"majority baseline is {intact.majority:.1%}. What it keeps above the baseline does not come from reading the "
        "pair."
    )
