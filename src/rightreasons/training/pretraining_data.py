"""The data of pretraining: tokenized sentences, some held out, with their tags or pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.keyed_random import draw_numbers
from rightreasons.corpora.captions import read_captions
from rightreasons.corpora.corpus_source import hash_file
from rightreasons.corpora.running_text import WIKITEXT, read_running_text
from rightreasons.corpora.tagged_sentences import SUPERTAGS, read_tagged_sentences
from rightreasons.nets.text.tokenization import TokenizedTexts, tokenize_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.int64]

TaskName = Literal["tagging", "language-model", "captions"]
LONGEST = 40  # words of a sentence, as in jiant; the rest is cut off
_HELD_OUT = 1_000  # sentences, or a tenth where there are fewer
_MIN_SENTENCES = 20


@dataclass(frozen=True)
class PretrainingData:
    """Sentences with their tags or pictures; the last ones are held out."""

    table: pl.DataFrame  # words, and tags or picture
    words: TokenizedTexts
    train: Rows
    dev: Rows
    facts: dict[str, Any]
    features: dict[str, NDArray[np.float32]] = field(default_factory=dict)  # of pictures, where there are any


def read_pretraining_data(
    task: TaskName, names: Sequence[str], sentences: int | None = None
) -> PretrainingData:
    """Read the data of a task and hold some of it out; train on at most `sentences`.

    The facts of a substitute say what it replaces.
    """
    table, facts, features = _READERS[task](names)
    whole = table.with_columns(pl.col("words").list.head(LONGEST))
    if "tags" in whole.columns:
        whole = whole.with_columns(pl.col("tags").list.head(LONGEST))
    whole = whole.filter(pl.col("words").list.len() > 1)
    train, dev = _split_train_and_held_out(whole["key"], sentences)
    if len(train) < _MIN_SENTENCES:
        raise InputError(
            f"{', '.join(names)} has {whole.height} sentences for {task}. Give at least {2 * _MIN_SENTENCES}."
        )
    chosen = whole[np.concatenate([train, dev])].drop("key")
    words = number_words(chosen["words"])
    facts |= {
        "files": [Path(name).name for name in names],
        "digests": [hash_file(Path(name)) if Path(name).is_file() else name for name in names],
        "sentences": len(train),
        "dev": len(dev),
        "of": whole.height,
        "words": int(words.counts[: len(train)].sum()),
    }
    order = np.arange(len(train) + len(dev))
    return PretrainingData(chosen, words, order[: len(train)], order[len(train) :], facts, features)


def number_words(sentences: pl.Series) -> TokenizedTexts:
    """Number the words of sentences that are lists of words."""
    flat = sentences.explode()
    words = flat.unique(maintain_order=True)
    forms = flat.cast(pl.Enum(words)).to_physical().to_numpy().astype(np.int32)
    counts = sentences.list.len().to_numpy().astype(np.int64)
    return TokenizedTexts(words.to_list(), forms, counts, np.arange(len(sentences)))


def _split_train_and_held_out(keys: pl.Series, most: int | None) -> tuple[Rows, Rows]:
    """Choose rows to train on and rows to hold out; rows with the same key are on the same side."""
    drawn = (
        pl.DataFrame({"drawn": draw_numbers(keys, "held out of pretraining")})
        .with_row_index("row")
        .sort("drawn", "row")
    )
    held = min(_HELD_OUT, len(keys) // 10)
    dev = drawn.with_row_index("place").select(pl.col("place").min().over("drawn") < held).to_series()
    rows = drawn["row"].cast(pl.Int64)
    return rows.filter(~dev).head(most or len(rows)).to_numpy(), rows.filter(dev).to_numpy()


def _read_tagged_sentences(names: Sequence[str]) -> tuple[pl.DataFrame, dict[str, Any], dict[str, Any]]:
    read = read_tagged_sentences(names)
    facts = {"kind": read.kind, "instead_of": "" if read.kind == SUPERTAGS else "the supertags of CCGbank"}
    return read.table.with_columns(key=pl.col("words").list.join(" ")), facts, {}


def _read_running_text(names: Sequence[str]) -> tuple[pl.DataFrame, dict[str, Any], dict[str, Any]]:
    read = read_running_text(names)
    texts = read.texts
    words = texts.str.split(" ") if read.tokenised else _split_into_words(texts)
    facts = {"kind": read.kind, "instead_of": "" if read.kind == WIKITEXT else "WikiText-103"}
    return pl.DataFrame({"words": words, "key": texts}), facts, {}


def _read_captions(names: Sequence[str]) -> tuple[pl.DataFrame, dict[str, Any], dict[str, Any]]:
    read = read_captions(names)
    table = read.table.select("picture", words=_split_into_words(read.table["text"]), key="picture")
    facts: dict[str, Any] = {"kind": "features of images", "instead_of": ""}
    if read.features is None:
        table = table.filter(pl.len().over("picture") > 1)
        facts = {
            "kind": "the words of the other captions of the same picture",
            "instead_of": "the image features of COCO",
        }
    return table, facts, read.features or {}


def _split_into_words(texts: pl.Series) -> pl.Series:
    """Tokenize texts as the texts of pairs are tokenized."""
    split = tokenize_texts(texts)
    flat = pl.Series(split.words, dtype=pl.String)[split.forms]
    lengths = split.counts
    sentences = pl.DataFrame({"row": np.repeat(np.arange(len(lengths)), lengths), "word": flat})
    lists = sentences.group_by("row", maintain_order=True).agg("word")
    whole = pl.DataFrame({"row": np.arange(len(lengths))}).join(
        lists, on="row", how="left", maintain_order="left"
    )
    return whole["word"].fill_null([])[split.rows].alias("words")


_READERS = {
    "tagging": _read_tagged_sentences,
    "language-model": _read_running_text,
    "captions": _read_captions,
}
