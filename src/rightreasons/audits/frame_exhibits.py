"""Tables and charts of verbs and their frames: what templates rely on, all counts, sentences to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import polars as pl

from rightreasons.audits.heuristics import MNLI_TRAIN_PAIRS
from rightreasons.core.exhibit import Exhibit
from rightreasons.core.keyed_random import draw_numbers
from rightreasons.core.trees import list_tree_words, parse_tree
from rightreasons.language.frame_names import FRAMES

if TYPE_CHECKING:
    from rightreasons.audits.audit_corpus import AuditCorpus
    from rightreasons.audits.verb_occurrences import VerbOccurrences
    from rightreasons.core.exhibit import Format

_WORDS_SHOWN = 60  # of a sentence, around the verb
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_CAPTION = (
    "Verbs in the frames that the templates of HANS and NP/S use them in. A combination is attested if it occurs at "
    "least as often as the threshold; if the threshold is scaled, the whole 95% confidence interval must be above it, "
    "and of combinations whose interval contains the threshold it is uncertain. Counts are occurrences in all texts, "
    "so a sentence of three pairs counts three times; the intervals treat pairs with the same premise as one cluster."
)
_MATRIX_CAPTION = (
    "Occurrences of each verb by frame. Each occurrence has one frame: here, intransitive is without a prepositional "
    "phrase, and object without an object complement."
)
_EXAMPLE_CAPTION = (
    "Random sentences for each verb and frame, with the verb marked. Read them before you trust a count."
)
_SAMPLE_CAPTION = (
    "Random occurrences, one of each sentence at most, to check by hand how many frames are right."
)


class FrameOptions(Protocol):
    """The options of the audit that its tables need."""

    @property
    def least(self) -> int:
        """Occurrences of an attested verb in a frame."""

    @property
    def examples(self) -> int:
        """Sentences for each verb and frame."""

    @property
    def sample(self) -> int:
        """Occurrences to check by hand."""

    @property
    def seed(self) -> int:
        """Seed of examples and sample."""


def make_frame_exhibits(
    corpus: AuditCorpus, found: VerbOccurrences, table: pl.DataFrame, options: FrameOptions
) -> tuple[Exhibit, ...]:
    """Make all tables of the audit."""
    exhibits = [_make_attested_exhibit(found, table, options.least), _make_matrix_exhibit(found)]
    drawn = _draw_occurrences(corpus, found, options.seed)
    if options.examples:
        first = drawn.group_by("verb", "frame", maintain_order=True).head(options.examples)
        order = {frame: place for place, frame in enumerate(FRAMES)}
        shown = first.sort(
            "verb", pl.col("frame").replace_strict(order, return_dtype=pl.Int64), maintain_order=True
        )
        exhibits.append(
            _make_sentence_exhibit(found, shown, "frames-examples", "Sentences to read", _EXAMPLE_CAPTION)
        )
    if options.sample:
        some = drawn.unique("sentence", keep="first", maintain_order=True).head(options.sample)
        title = "Occurrences to check by hand"
        exhibits.append(_make_sentence_exhibit(found, some, "frames-sample", title, _SAMPLE_CAPTION))
    return tuple(exhibits)


def _make_attested_exhibit(found: VerbOccurrences, table: pl.DataFrame, least: int) -> Exhibit:
    formats: dict[str, Format] = {
        "verb": "text",
        "frame": "text",
        "relied on by": "text",
        "count": "count",
        "sentences": "count",
        "per million words": "decimal",
        "scaled": "count",
        "attested": "text",
    }
    headings = {"scaled": f"in {MNLI_TRAIN_PAIRS:,} pairs"}
    notes = [f"{frame}: {what}." for frame, what in FRAMES.items() if frame in table["frame"]]
    if not table.is_empty():
        threshold = table["threshold"][0]
        scaled = "" if threshold == least else f", {least} scaled from {MNLI_TRAIN_PAIRS:,} pairs"
        notes.insert(0, f"The threshold is {threshold:,.4g} occurrences in {found.pairs:,.0f} pairs{scaled}.")
    title = "Verbs and frames that HANS and NP/S rely on"
    chart = _draw_unattested() if (table["attested"] != "yes").any() else None
    return Exhibit(
        "frames", title, _CAPTION, table, formats, chart=chart, notes=tuple(notes), headings=headings
    )


def _draw_unattested() -> dict[str, Any]:
    """Draw the count and interval of each combination that is not attested for certain, with the threshold."""
    name = {
        "field": "name",
        "type": "nominal",
        "sort": {"field": "count", "order": "descending"},
        "title": None,
    }
    axis = {"type": "quantitative", "title": "occurrences", "scale": {"type": "symlog"}}
    return {
        "transform": [
            {"filter": "datum.attested != 'yes'"},
            {"calculate": "datum.verb + ', ' + datum.frame", "as": "name"},
        ],
        "layer": [
            {
                "mark": {"type": "rule"},
                "encoding": {"y": name, "x": {"field": "count_low", **axis}, "x2": {"field": "count_high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 50, "tooltip": True},
                "encoding": {"y": name, "x": {"field": "count", **axis}},
            },
            {
                "mark": {"type": "tick", "thickness": 2, "color": "firebrick", "tooltip": True},
                "encoding": {"y": name, "x": {"field": "threshold", **axis}},
            },
        ],
    }


def _make_matrix_exhibit(found: VerbOccurrences) -> Exhibit:
    counts = found.count_frames(whole=False).select("verb", "frame", "count")
    wide = counts.pivot("frame", index="verb", values="count", maintain_order=True).sort("verb")
    frames = list(FRAMES)
    missing = [pl.lit(0, pl.Int64).alias(frame) for frame in frames if frame not in wide.columns]
    frame = wide.with_columns(missing).with_columns(pl.col(frames).fill_null(0))
    frame = frame.select("verb", pl.sum_horizontal(frames).alias("all"), *frames)
    formats: dict[str, Format] = {"verb": "text", **dict.fromkeys(["all", *frames], "count")}
    notes = tuple(f"{name}: {what}." for name, what in FRAMES.items())
    return Exhibit(
        "frames-matrix", "Verbs by frame", _MATRIX_CAPTION, frame, formats, chart=_draw_matrix(), notes=notes
    )


def _draw_matrix() -> dict[str, Any]:
    """Draw a cell for each verb and frame, darker with the logarithm of the count."""
    frames = list(FRAMES)
    return {
        "transform": [{"fold": frames, "as": ["frame", "occurrences"]}, {"filter": "datum.occurrences > 0"}],
        "width": {"step": 36},
        "height": {"step": 14},
        "mark": {"type": "rect", "tooltip": True},
        "encoding": {
            "y": {"field": "verb", "type": "nominal", "title": None},
            "x": {
                "field": "frame",
                "type": "nominal",
                "sort": frames,
                "title": None,
                "axis": {"orient": "top", "labelAngle": -45},
            },
            "color": {"field": "occurrences", "type": "quantitative", "scale": {"type": "log"}},
        },
    }


def _draw_occurrences(corpus: AuditCorpus, found: VerbOccurrences, seed: int) -> pl.DataFrame:
    """Put the occurrences in random order, each with the first text that has its sentence."""
    first = found.texts.drop_nulls("sentence").unique("sentence", keep="first", maintain_order=True)
    ids = corpus.pairs.select("id").with_row_index("row")
    named = found.found.join(first, on="sentence", maintain_order="left").join(
        ids, on="row", maintain_order="left"
    )
    keys = named.select(pl.concat_str("id", "side", "word", separator=" ")).to_series()
    return named.with_columns(drawn=pl.Series(draw_numbers(keys, "frames", seed))).sort(
        "drawn", maintain_order=True
    )


def _make_sentence_exhibit(
    found: VerbOccurrences, drawn: pl.DataFrame, key: str, title: str, caption: str
) -> Exhibit:
    """Show some occurrences with their sentences."""
    marked = [
        mark_word(found.sentences[sentence], word)
        for sentence, word in drawn.select("sentence", "word").iter_rows()
    ]
    columns = ("verb", "frame", "sentence", "side", "id")
    frame = drawn.with_columns(pl.Series("sentence", marked, dtype=pl.String)).select(columns)
    formats: dict[str, Format] = {name: "passage" if name == "sentence" else "text" for name in columns}
    return Exhibit(key, title, caption, frame, formats)


def mark_word(parse: str, word: int) -> str:
    """Write the words of a parse around one of them, which stands between >> and <<."""
    words = [_BRACKETS.get(each, each) for each in list_tree_words(parse_tree(parse))]
    words[word] = f">>{words[word]}<<"
    start = max(0, word - _WORDS_SHOWN // 2)
    part = words[start : start + _WORDS_SHOWN]
    return " ".join(
        [*(["..."] if start else []), *part, *(["..."] if start + len(part) < len(words) else [])]
    )
