"""Tags, dependencies and entities from a spaCy 3 pipeline that the user has, where the package's own are not enough.

spaCy is imported on first use only. A pipeline is named as `spacy.load` takes it: an installed one, or a folder.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.io.inputs import provide_empty_stdin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_OLDEST = 3
_INSTEAD = "choose another tagger or parser"
_KINDS = {
    "PERSON": "PERSON",
    "PER": "PERSON",
    "GPE": "LOCATION",
    "LOC": "LOCATION",
    "LOCATION": "LOCATION",
    "FAC": "LOCATION",
    "ORG": "ORGANIZATION",
    "ORGANIZATION": "ORGANIZATION",
}
_COLUMNS: dict[str, Any] = {
    "row": pl.UInt32,
    "number": pl.Int64,
    "start": pl.Int64,
    "end": pl.Int64,
    "token": pl.String,
    "tag": pl.String,
    "lemma": pl.String,
    "head": pl.Int64,
    "dep": pl.String,
    "entity": pl.String,
    "entity_starts": pl.Boolean,
}


class SpacyToken(NamedTuple):
    """A token as a pipeline sees it; what the pipeline has no part for is null."""

    start: int
    end: int
    tag: str | None
    lemma: str | None
    head: int | None  # the number of the token that it depends on; its own for a root
    dep: str | None
    entity: str | None
    entity_starts: bool


def analysed(texts: pl.Series, model: str) -> pl.DataFrame:
    """List the tokens of texts with tag, lemma, head (a token's number), dep and entity, by a spaCy pipeline."""
    strings = ["" if text is None else text for text in texts]
    rows = [
        (row, number, word.start, word.end, text[word.start : word.end], *word[2:])
        for row, (text, words) in enumerate(zip(strings, analyse_texts(strings, model), strict=True))
        for number, word in enumerate(words)
    ]
    return pl.DataFrame(rows, schema=_COLUMNS, orient="row")


def entities(texts: pl.Series, model: str) -> pl.DataFrame:
    """List the people, places and organisations in texts, with row, start, end and kind, by a spaCy pipeline."""
    named = analysed(texts, model).filter(pl.col("entity").is_not_null())
    one = pl.col("entity_starts").cum_sum().alias("one")
    spans = named.group_by(one, maintain_order=True).agg(
        pl.col("row").first(), pl.col("start").first(), pl.col("end").last(), pl.col("entity").first()
    )
    kind = pl.col("entity").replace_strict(_KINDS, default=None, return_dtype=pl.String).alias("kind")
    return spans.select("row", "start", "end", kind).drop_nulls("kind")


def analyse_texts(texts: Iterable[str], model: str) -> Iterator[list[SpacyToken]]:
    """Yield the tokens of each text by a spaCy pipeline, without white space."""
    pipeline = _load_pipeline(model)
    for document in pipeline.pipe(texts):
        yield list(_read_spacy_tokens(document))


def find_pipeline_folder(model: str) -> Path | None:
    """Find the folder of a pipeline, whose files decide what it says; one that was made in memory has none."""
    folder: Path | None = getattr(_load_pipeline(model), "path", None)
    return folder


def _read_spacy_tokens(document: Any) -> Iterator[SpacyToken]:
    """Read the tokens of a document; heads are numbered as the words that are left without space."""
    words = [token for token in document if not token.is_space]
    numbers = {token.i: number for number, token in enumerate(words)}
    parsed = document.has_annotation("DEP")
    for number, token in enumerate(words):
        yield SpacyToken(
            start=token.idx,
            end=token.idx + len(token),
            tag=token.tag_ or None,
            lemma=token.lemma_ or None,
            head=numbers.get(token.head.i, number) if parsed else None,
            dep=token.dep_ or None,
            entity=token.ent_type_ or None,
            entity_starts=token.ent_iob_ == "B",
        )


@lru_cache(maxsize=2)
def _load_pipeline(model: str) -> Any:
    """Load a pipeline once."""
    try:
        spacy: Any = import_module("spacy")
    except ImportError as error:
        raise InputError(
            f"The tagger 'spacy:{model}' needs spaCy, which is not installed. Install spaCy 3, or {_INSTEAD}."
        ) from error
    if int(spacy.__version__.split(".")[0]) < _OLDEST:
        raise InputError(
            f"spaCy {spacy.__version__} is too old for 'spacy:{model}'. Install spaCy 3, or {_INSTEAD}."
        )
    try:
        with provide_empty_stdin():
            return spacy.load(model)
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise InputError(
            f"spaCy can't load a pipeline called {model!r} ({reason}). "
            f"Use an installed pipeline or the folder of one, or {_INSTEAD}."
        ) from error
