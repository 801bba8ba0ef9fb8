"""The spelling test: one word of each hypothesis is misspelt, which leaves its label as it was (Naik et al. 2018)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from rightreasons.core.edits import EDIT, SOURCE, applied, source_tags
from rightreasons.core.errors import InputError
from rightreasons.core.keyed_random import below, draws
from rightreasons.core.labels import THREE
from rightreasons.core.parts import SetPart
from rightreasons.corpora import read_corpus
from rightreasons.language.tokens import tokens
from rightreasons.sets.corpus_set import POCKET, Mode, Sample, Short, TablePlan, check_eval, corpus_plan
from rightreasons.sets.stress.spelling import faithful as spelling_faithful
from rightreasons.sets.stress.spelling.misspellable import VARIANTS, Variant, candidates
from rightreasons.sets.stress.spelling.misspelling_choice import chosen

if TYPE_CHECKING:
    from numpy.typing import NDArray

Choice = Literal["content", "function", "swap", "keyboard", "mixed", "each"]
RealWords = Literal["avoid", "allow"]
_OWN = ("operation", "word", "misspelling", "position", "word_tag", "edited")


def misspelt(
    pairs: pl.DataFrame,
    found: pl.DataFrame,
    *,
    variant: Choice = "content",
    real_words: RealWords = "avoid",
    mode: Mode = "corrected",
    seed: int = 0,
) -> pl.DataFrame:
    """Misspell a word of each hypothesis, given its tokens; pairs where there is no such word are flagged.

    In the faithful mode they are left out. A pair's misspelling depends on its id, the variant and the seed alone.
    """
    parts, ids = [], pairs["id"].to_list()
    for number, (one, taken) in enumerate(_parts(ids, variant, seed)):
        drawn = draws(ids, Spelling.name, Spelling.version, seed, one)
        own = found if taken.all() else found.filter(pl.Series(taken[found["row"].to_numpy()]))
        if mode == "faithful":
            edits = spelling_faithful.edits(pairs["hypothesis"], own, drawn, one)
        else:
            edits = _all_rows(chosen(candidates(own, one), drawn, one, avoid=real_words == "avoid"), taken)
        parts.append(edits.with_columns(pl.lit(one).alias("variant"), pl.lit(number).alias("part")))
    return _table(pairs, pl.concat(parts).sort("row", "part"))


def _parts(ids: list[str], variant: Choice, seed: int) -> list[tuple[Variant, NDArray[np.bool_]]]:
    """Say which pairs get which variant: one for all, each of the four, or one of the four by draw."""
    everything = np.ones(len(ids), dtype=bool)
    if variant == "each":
        return [(one, everything) for one in VARIANTS]
    if variant == "mixed":
        which = below(draws(ids, Spelling.name, Spelling.version, seed, "mixed"), len(VARIANTS))
        return [(one, which == number) for number, one in enumerate(VARIANTS)]
    return [(variant, everything)]


def _all_rows(edits: pl.DataFrame, taken: NDArray[np.bool_]) -> pl.DataFrame:
    """Add the rows that have no edit."""
    rows = pl.DataFrame({"row": np.flatnonzero(taken).astype(np.uint32)})
    return rows.join(edits, on="row", how="left", maintain_order="left")


def _table(pairs: pl.DataFrame, edits: pl.DataFrame) -> pl.DataFrame:
    """Put pairs and edits together; `row` says which pair an edit belongs to."""
    given = pairs.select("id", "premise", "hypothesis", "label", "genre")[edits["row"].to_numpy()]
    both = given.hstack(edits).with_columns(
        pl.col("edit_at").fill_null(0),
        pl.col("edit_from", "edit_to").fill_null(""),
        pl.col("edit_to").is_not_null().alias("edited"),
    )
    new = applied(pl.col("hypothesis"), pl.col("edit_at"), pl.col("edit_from"), pl.col("edit_to"))
    return both.select(
        pl.concat_str(pl.lit("spelling-"), "id", pl.lit("-"), "variant").alias("id"),
        "premise",
        new.alias("hypothesis"),
        "label",
        *source_tags(Spelling.name, pl.col("variant")),
        pl.lit("hypothesis").alias("side"),
        *EDIT[1:],
        *_OWN,
    )


class Spelling(SetPart):
    """Spelling: a word of each hypothesis has two letters swapped, or one from the next key."""

    name = "stress/spelling"
    version = 1
    labels: tuple[str, ...] = THREE
    paper = "Naik et al. 2018"
    tags = (*SOURCE, *EDIT, *_OWN)

    def __init__(
        self,
        *,
        variant: Choice = "content",
        real_words: RealWords | None = None,
        tagger: str = "default",
        corpus: tuple[str, ...] = POCKET,
        mode: Mode = "corrected",
        short: Short = "refuse",
    ) -> None:
        """Take the options.

        Args:
            variant: misspell content words or function words, by either operation; any word by swap or by keyboard;
                mixed for one of these four by draw; each for all four, a pair for each.
            real_words: avoid misspellings that are words themselves, or allow them; avoid unless told, while faithful
                always allows them.
            tagger: what tags words where the corpus has no parses.
            corpus: files of pairs, hf:NAME, or pocket for the pairs inside the package.
            mode: corrected, or faithful to the released scripts, which replace the first such letters in the text.
            short: refuse to give fewer pairs than were asked for, or allow it.
        """
        if mode == "faithful" and real_words == "avoid":
            raise InputError(
                "The option real_words is avoid, and the mode faithful allows misspellings that are words. "
                "Leave real_words out, or use -o mode=corrected."
            )
        self.variant: Choice = variant
        self.real_words: RealWords = real_words or ("allow" if mode == "faithful" else "avoid")
        self.tagger = tagger
        self.corpus = corpus
        self.mode: Mode = mode
        self.short: Short = short

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TablePlan:
        """Plan a sample of the misspelt pairs: `size` of each variant, `limit` in all, or all of them."""
        check_eval(self.name, split)
        corpus = read_corpus(self.corpus)
        found = self._tokens(corpus.pairs)
        table = misspelt(
            corpus.pairs, found, variant=self.variant, real_words=self.real_words, mode=self.mode, seed=seed
        )
        return corpus_plan(
            self,
            table,
            Sample(size, limit, seed, split),
            options=self._options(),
            sources=corpus.card.sources,
            remarks=(*corpus.card.remarks, *self._remarks(corpus.pairs.height, table)),
        )

    def _tokens(self, pairs: pl.DataFrame) -> pl.DataFrame:
        parses = pairs["hypothesis_parse"] if "hypothesis_parse" in pairs.columns else None
        tagged = self.variant not in ("swap", "keyboard")
        return tokens(pairs["hypothesis"], parses, tagged=tagged, tagger=self.tagger)

    def _options(self) -> dict[str, object]:
        names = ("variant", "real_words", "tagger", "corpus", "mode")
        return {name: getattr(self, name) for name in names} | {"corpus": list(self.corpus)}

    def _remarks(self, height: int, table: pl.DataFrame) -> list[str]:
        """Say how many pairs have no word to misspell."""
        asked = height * (len(VARIANTS) if self.variant == "each" else 1)
        unedited = table.filter(~pl.col("edited")).height
        said = [f"{unedited:,} of {asked:,} hypotheses are as they were: no word of theirs was misspelt."]
        gone = [f"{asked - table.height:,} of {asked:,} pairs were left out: they have no word to misspell."]
        return (said if unedited else []) + (gone if table.height < asked else [])
