"""Running text to train a language model on: the tokens of WikiText, or the texts of any corpus.

WikiText has a paragraph a line, its words between spaces, headings as ` = Title = `, rare words as `<unk>`, and marks
inside numbers and compounds as `@,@`, `@.@` and `@-@`, which become the marks themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.corpora.corpus_source import list_corpus_names
from rightreasons.corpora.texts import read_texts

if TYPE_CHECKING:
    from rightreasons.corpora.corpus_source import Names

WIKITEXT, TEXTS = "WikiText", "texts of a corpus, the premises where it has pairs"
RARE = "<unk>"  # what WikiText writes for a rare word
_ENDINGS = (".tokens", ".raw")  # of the published files
_HEADING = r"^(= )+.*( =)+$"
_END = r" ([.!?])( ['\u{22}])? "  # a sentence's end, before its next word


@dataclass(frozen=True)
class RunningText:
    """Sentences or short texts, whether spaces stand between all their words, and what they are."""

    texts: pl.Series
    tokenised: bool
    kind: str


def read_running_text(names: Names) -> RunningText:
    """Read running text by name: files of WikiText (.tokens, .raw), or texts as read_texts has them.

    Of pairs the premises are taken; of anything, each different text once.
    """
    files = list_corpus_names(names)
    published = [Path(name).suffix in _ENDINGS for name in files]
    if any(published) and not all(published):
        raise InputError(
            f"{', '.join(files)} mix WikiText with other texts. Pass WikiText files only, or none."
        )
    if not any(published):
        return RunningText(_drop_repeated_texts(read_texts(names).table["text"]), tokenised=False, kind=TEXTS)
    return RunningText(
        _drop_repeated_texts(pl.concat([_read_wikitext_sentences(Path(name)) for name in files])),
        tokenised=True,
        kind=WIKITEXT,
    )


def _read_wikitext_sentences(path: Path) -> pl.Series:
    """Cut the paragraphs of a file of WikiText into sentences; headings are left out."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} can't be read as text: {error}. Check the path, and use plain text."
        ) from error
    texts = pl.Series("text", lines, dtype=pl.String).str.strip_chars()
    texts = texts.filter((texts != "") & ~texts.str.contains(_HEADING))
    if not len(texts):
        raise InputError(f"{path} has no running text. Use the WikiText file with tokens.")
    sentences = texts.str.replace_all(r"\s+", " ").str.replace_all(_END, " $1$2\n").str.split("\n").explode()
    return sentences.str.replace_all(r"@([-,.])@", "$1")  # only now: a stop inside a number ends no sentence


def _drop_repeated_texts(texts: pl.Series) -> pl.Series:
    return texts.str.strip_chars().unique(maintain_order=True)
