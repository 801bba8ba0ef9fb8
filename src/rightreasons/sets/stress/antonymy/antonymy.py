"""The antonymy test: a sentence, and the same with a word replaced by its antonym (Naik et al. 2018)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl

from rightreasons.core.edits import EDIT, SOURCE, applied, source_tags
from rightreasons.core.keyed_random import below, draws
from rightreasons.core.parts import SetPart
from rightreasons.corpora import read_corpus
from rightreasons.language.tokens import tokens
from rightreasons.language.wordnet import wordnet
from rightreasons.sets.corpus_set import POCKET, Mode, Sample, Short, TablePlan, check_eval, corpus_plan
from rightreasons.sets.stress.antonymy.edits import edits
from rightreasons.sets.stress.antonymy.faithful import released_edits
from rightreasons.sets.stress.antonymy.lexicon import Which  # noqa: TC001 - options are read from it

if TYPE_CHECKING:
    from rightreasons.language.wordnet import WordNet

Sides = Literal["both", "premise", "hypothesis"]
PerSentence = Literal["one", "all"]
Tie = Literal["old", "new"]
_OWN = ("word", "antonym", "synset", "antonym_type", "position", "source_side")


def sentences_of(pairs: pl.DataFrame, *, sides: Sides = "both", mode: Mode = "corrected") -> pl.DataFrame:
    """List the sentences of pairs with their source, each text once; faithful takes it once from either side."""
    parts = []
    for side in ("premise", "hypothesis") if sides == "both" else (sides,):
        parse = pl.col(f"{side}_parse") if f"{side}_parse" in pairs.columns else pl.lit(None, dtype=pl.String)
        part = pairs.with_row_index("pair").select(
            *("pair", "id", "label", "genre"),
            pl.lit(side).alias("source_side"),
            pl.col(side).alias("text"),
            parse.alias("parse"),
        )
        parts.append(part)
    same = ["text"] if mode == "corrected" else ["text", "source_side"]
    return pl.concat(parts).sort("pair", maintain_order=True).unique(same, keep="first", maintain_order=True)


def contrasted(
    sentences: pl.DataFrame,
    found: pl.DataFrame,
    *,
    antonyms: Which = "curated",
    per_sentence: PerSentence = "one",
    seed: int = 0,
    known: WordNet,
) -> pl.DataFrame:
    """Set sentences against themselves with an antonym, given their tokens; a draw says which side is the new one."""
    key = (Antonymy.name, Antonymy.version, seed)
    made = edits(
        sentences["text"],
        found,
        key=(*key, "word"),
        which=antonyms,
        every=per_sentence == "all",
        wordnet=known,
    )
    sides = below(draws(sentences["text"], *key, "side"), 2)[made["row"].to_numpy()]
    return _table(sentences, made, pl.Series("new_first", sides == 1))


def contrasted_as_released(
    sentences: pl.DataFrame, found: pl.DataFrame, *, tie: Tie = "old", known: WordNet
) -> pl.DataFrame:
    """Make the pairs that the released code makes: the new sentence is the premise where it was a hypothesis."""
    made = released_edits(sentences["text"], found, tie=tie, wordnet=known)
    new_first = sentences["source_side"].gather(made["row"]) == "hypothesis"
    return _table(sentences, made, new_first.alias("new_first"))


def _table(sentences: pl.DataFrame, made: pl.DataFrame, new_first: pl.Series) -> pl.DataFrame:
    """Put sentences and edits together as pairs, and keep the first of equal ones."""
    both = sentences[made["row"].to_numpy()].hstack(made.drop("row")).hstack([new_first])
    new = applied(pl.col("text"), pl.col("edit_at"), pl.col("edit_from"), pl.col("edit_to"))
    first = pl.col("new_first")
    pairs = both.with_columns(new.alias("new")).select(
        _ids(),
        pl.when(first).then("new").otherwise("text").alias("premise"),
        pl.when(first).then("text").otherwise("new").alias("hypothesis"),
        pl.lit("contradiction").alias("label"),
        *source_tags(Antonymy.name, pl.col("subcase")),
        pl.when(first).then(pl.lit("premise")).otherwise(pl.lit("hypothesis")).alias("side"),
        *EDIT[1:],
        *_OWN,
    )
    differing = pairs.filter(pl.col("premise") != pl.col("hypothesis"))
    return differing.unique(["premise", "hypothesis"], keep="first", maintain_order=True)


def _ids() -> pl.Expr:
    side = pl.col("source_side").str.slice(0, 1)
    antonym = pl.col("antonym").str.replace_all(" ", "-", literal=True)
    dash = pl.lit("-")
    return pl.concat_str(pl.lit("antonymy-"), "id", dash, side, "position", dash, antonym).alias("id")


class Antonymy(SetPart):
    """Antonymy: a sentence against itself with a noun or adjective replaced by its antonym."""

    name = "stress/antonymy"
    version = 1
    labels: tuple[str, ...] = ("contradiction",)
    paper = "Naik et al. 2018"
    tags = (*SOURCE, *EDIT, *_OWN)

    def __init__(
        self,
        *,
        antonyms: Which = "curated",
        per_sentence: PerSentence = "one",
        sides: Sides = "both",
        tie: Tie = "old",
        tagger: str = "default",
        wordnet: str | None = None,
        corpus: tuple[str, ...] = POCKET,
        mode: Mode = "corrected",
        short: Short = "refuse",
    ) -> None:
        """Take the options.

        Args:
            antonyms: curated, from the list that was judged by hand, or all that WordNet has; faithful takes all.
            per_sentence: one word of each sentence, by draw, or all of them, a pair for each; faithful takes all.
            sides: which sentences of the corpus to take: those of both sides, premises, or hypotheses.
            tie: for faithful only, which of the senses that tie wins: old, as when the test was made, or new, as in
                NLTK today.
            tagger: what tags words where the corpus has no parses.
            wordnet: a folder of WordNet's dict files, to be read in place of those in the package.
            corpus: files of pairs, hf:NAME, or pocket for the pairs inside the package.
            mode: corrected, or faithful to the released script, which replaces the first such letters in the text.
            short: refuse to give fewer pairs than were asked for, or allow it.
        """
        self.antonyms: Which = antonyms
        self.per_sentence: PerSentence = per_sentence
        self.sides: Sides = sides
        self.tie: Tie = tie
        self.tagger = tagger
        self.wordnet = wordnet
        self.corpus = corpus
        self.mode: Mode = mode
        self.short: Short = short

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TablePlan:
        """Plan a sample of the pairs: `size` of nouns and of adjectives, `limit` in all, or all of them."""
        check_eval(self.name, split)
        known = wordnet(self.wordnet)
        corpus = read_corpus(self.corpus)
        sentences = sentences_of(corpus.pairs, sides=self.sides, mode=self.mode)
        table = self._table(sentences, seed, known)
        taken = corpus.pairs.height * (2 if self.sides == "both" else 1)
        return corpus_plan(
            self,
            table,
            Sample(size, limit, seed, split),
            options=self._options(),
            sources=corpus.card.sources,
            remarks=(*corpus.card.remarks, *_remarks(taken, sentences.height, table)),
        )

    def _table(self, sentences: pl.DataFrame, seed: int, known: WordNet) -> pl.DataFrame:
        tagged = self.mode == "corrected"
        found = tokens(sentences["text"], sentences["parse"], tagged=tagged, tagger=self.tagger)
        if self.mode == "faithful":
            return contrasted_as_released(sentences, found, tie=self.tie, known=known)
        return contrasted(
            sentences, found, antonyms=self.antonyms, per_sentence=self.per_sentence, seed=seed, known=known
        )

    def _options(self) -> dict[str, object]:
        names = ("antonyms", "per_sentence", "sides", "tie", "tagger", "wordnet", "mode")
        return {name: getattr(self, name) for name in names} | {"corpus": list(self.corpus)}


def _remarks(taken: int, different: int, table: pl.DataFrame) -> list[str]:
    """Say how many sentences were the same as another, and how many gave a pair."""
    giving = table.select("source_id", "source_side").n_unique()
    again = [
        f"{taken - different:,} of {taken:,} sentences are the same as an earlier one and were taken once."
    ]
    return [*(again if taken > different else []), f"{giving:,} of {different:,} sentences give a pair."]
