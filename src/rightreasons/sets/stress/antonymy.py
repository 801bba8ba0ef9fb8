"""The antonymy test: a sentence, and the same with a word replaced by its antonym (Naik et al. 2018).

mode=faithful does what the released script does: every antonym of every lemma of the sense replaces the first
matching substring.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import polars as pl

from rightreasons.core.edits import EDIT_TAGS, SOURCE_TAGS, build_source_tags, replace_at_offset
from rightreasons.core.keyed_random import draw_numbers, scale_to_range
from rightreasons.core.options import option
from rightreasons.core.parts import SetPart
from rightreasons.corpora import read_corpus
from rightreasons.language.senses import choose_best_sense, list_sense_candidates
from rightreasons.language.tokens import tokens
from rightreasons.language.wordnet import wordnet
from rightreasons.sets.corpus_set import (
    CORPUS_HELP,
    POCKET,
    SHORT_HELP,
    TAGGER_HELP,
    Mode,
    SampleRequest,
    Short,
    TablePlan,
    check_eval_split,
    plan_corpus_set,
)
from rightreasons.sets.stress.antonym_edits import (
    EDITS,
    Which,
    list_antonym_edits,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rightreasons.language.wordnet import Synset, WordNet

_SKIPPED = """
    here goodness yes no decision growing priority cheers volume right left goods addition income indecision there
    parent being parents lord lady put capital lowercase unions
"""
SKIPPED = frozenset(_SKIPPED.split())
_KINDS = ("n", "s")  # nouns and satellite adjectives
_DROPPED = "civilian"
Sides = Literal["both", "premise", "hypothesis"]
PerSentence = Literal["one", "all"]
Tie = Literal["old", "new"]
_OWN = ("word", "antonym", "synset", "antonym_type", "position", "source_side")


def list_released_edits(
    texts: pl.Series, tokens: pl.DataFrame, *, tie: Tie, wordnet: WordNet
) -> pl.DataFrame:
    """List what the released code would write into the texts; tokens are those of the same texts."""
    lower = tokens.select("row", pl.col("token").str.to_lowercase())
    live = [word for word in lower["token"].unique().to_list() if _may_have_antonym(word, wordnet)]
    touched = lower.filter(pl.col("token").is_in(live))["row"].unique()
    contexts = (
        lower.filter(pl.col("row").is_in(touched.implode())).group_by("row", maintain_order=True).agg("token")
    )
    edits = [
        (row, *edit)
        for row, words in contexts.iter_rows()
        for edit in _list_released_edits_of_text(texts[row], words, frozenset(live), tie, wordnet)
    ]
    return pl.DataFrame(edits, schema=EDITS, orient="row")


def _list_released_edits_of_text(
    text: str, words: Sequence[str], live: frozenset[str], tie: Tie, wordnet: WordNet
) -> Iterator[tuple[int, str, str, str, str, str, None, int, str]]:
    context = set(words)
    for position, word in enumerate(words):
        if word not in live:
            continue
        synset = choose_best_sense(context, list_sense_candidates(word, None, tie, wordnet))
        at = text.find(word)
        for antonym in _list_antonyms(synset) if at >= 0 else ():
            yield at, word, antonym, word, antonym, synset.key, None, position, _name_subcase(synset)


@lru_cache(maxsize=1 << 16)
def _may_have_antonym(word: str, wordnet: WordNet) -> bool:
    """Return whether any sense of a word could give an antonym: most words have none, and need no Lesk."""
    return word not in SKIPPED and any(
        _list_antonyms(one) for pos in _KINDS for one in wordnet.synsets(word, pos)
    )


def _list_antonyms(synset: Synset) -> tuple[str, ...]:
    """List the antonyms of all lemmas of a noun or satellite sense: heads were left out."""
    if synset.pos not in _KINDS or not synset.antonyms:
        return ()
    names = dict.fromkeys(antonym for _, antonym, _ in synset.antonyms)
    return tuple(name for name in names if "_" not in name and name != _DROPPED)


def _name_subcase(synset: Synset) -> str:
    return "noun" if synset.pos == "n" else "adjective"


def list_distinct_sentences(
    pairs: pl.DataFrame, *, sides: Sides = "both", mode: Mode = "corrected"
) -> pl.DataFrame:
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


def build_antonym_pairs(
    sentences: pl.DataFrame,
    token_table: pl.DataFrame,
    *,
    antonyms: Which = "curated",
    per_sentence: PerSentence = "one",
    seed: int = 0,
    known: WordNet,
) -> pl.DataFrame:
    """Set sentences against themselves with an antonym, given their tokens; a draw says which side is the new one."""
    key = (Antonymy.name, Antonymy.version, seed)
    edits = list_antonym_edits(
        sentences["text"],
        token_table,
        key=(*key, "word"),
        which=antonyms,
        every=per_sentence == "all",
        wordnet=known,
    )
    sides = scale_to_range(draw_numbers(sentences["text"], *key, "side"), 2)[edits["row"].to_numpy()]
    return _build_pairs_from_edits(sentences, edits, pl.Series("new_first", sides == 1))


def build_released_antonym_pairs(
    sentences: pl.DataFrame, token_table: pl.DataFrame, *, tie: Tie = "old", known: WordNet
) -> pl.DataFrame:
    """Make the pairs that the released code makes: the new sentence is the premise where it was a hypothesis."""
    edits = list_released_edits(sentences["text"], token_table, tie=tie, wordnet=known)
    new_first = sentences["source_side"].gather(edits["row"]) == "hypothesis"
    return _build_pairs_from_edits(sentences, edits, new_first.alias("new_first"))


def _build_pairs_from_edits(
    sentences: pl.DataFrame, edits: pl.DataFrame, new_first: pl.Series
) -> pl.DataFrame:
    """Build pairs from sentences and edits, and keep the first of equal ones."""
    both = sentences[edits["row"].to_numpy()].hstack(edits.drop("row")).hstack([new_first])
    new = replace_at_offset(pl.col("text"), pl.col("edit_at"), pl.col("edit_from"), pl.col("edit_to"))
    first = pl.col("new_first")
    pairs = both.with_columns(new.alias("new")).select(
        _make_id_column(),
        pl.when(first).then("new").otherwise("text").alias("premise"),
        pl.when(first).then("text").otherwise("new").alias("hypothesis"),
        pl.lit("contradiction").alias("label"),
        *build_source_tags(Antonymy.name, pl.col("subcase")),
        pl.when(first).then(pl.lit("premise")).otherwise(pl.lit("hypothesis")).alias("side"),
        *EDIT_TAGS[1:],
        *_OWN,
    )
    differing = pairs.filter(pl.col("premise") != pl.col("hypothesis"))
    return differing.unique(["premise", "hypothesis"], keep="first", maintain_order=True)


def _make_id_column() -> pl.Expr:
    side = pl.col("source_side").str.slice(0, 1)
    antonym = pl.col("antonym").str.replace_all(" ", "-", literal=True)
    dash = pl.lit("-")
    return pl.concat_str(pl.lit("antonymy-"), "id", dash, side, "position", dash, antonym).alias("id")


@dataclass(frozen=True, kw_only=True)
class Antonymy(SetPart):
    """Antonymy: a sentence paired with a copy in which a noun or adjective is replaced by its antonym."""

    name = "stress/antonymy"
    version = 1
    labels = ("contradiction",)
    paper = "Naik et al. 2018"
    tags = (*SOURCE_TAGS, *EDIT_TAGS, *_OWN)

    antonyms: Which = option(
        "curated",
        help="curated, from the list judged by hand, or all of WordNet. mode=faithful always uses all.",
    )
    per_sentence: PerSentence = option(
        "one",
        help="Words to replace: one per sentence, or all, each in its own pair. mode=faithful always uses all.",
    )
    sides: Sides = option("both", help="Sentences of the corpus to use: both sides, premise or hypothesis.")
    tie: Tie = option(
        "old", help="Sense chosen at a tie in mode=faithful: old as in 2018, or new as in NLTK today."
    )
    tagger: str = option("default", help=TAGGER_HELP)
    wordnet: str | None = option(
        None, help="Folder of WordNet database files to use instead of the index in the package."
    )
    mode: Mode = option(
        "corrected",
        help="corrected, or faithful to the released script: replace the first match.",
    )
    corpus: tuple[str, ...] = option(POCKET, help=CORPUS_HELP)
    short: Short = option("refuse", help=SHORT_HELP)

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TablePlan:
        """Plan a sample of the pairs: `size` of nouns and of adjectives, `limit` in all, or all of them."""
        check_eval_split(self.name, split)
        known = wordnet(self.wordnet)
        corpus = read_corpus(self.corpus)
        sentences = list_distinct_sentences(corpus.pairs, sides=self.sides, mode=self.mode)
        table = self._build_pairs_in_mode(sentences, seed, known)
        total = corpus.pairs.height * (2 if self.sides == "both" else 1)
        return plan_corpus_set(
            self,
            table,
            SampleRequest(size, limit, seed, split),
            sources=corpus.card.sources,
            remarks=(*corpus.card.remarks, *_describe_yield(total, sentences.height, table)),
        )

    def _build_pairs_in_mode(self, sentences: pl.DataFrame, seed: int, known: WordNet) -> pl.DataFrame:
        tagged = self.mode == "corrected"
        token_table = tokens(sentences["text"], sentences["parse"], tagged=tagged, tagger=self.tagger)
        if self.mode == "faithful":
            return build_released_antonym_pairs(sentences, token_table, tie=self.tie, known=known)
        return build_antonym_pairs(
            sentences,
            token_table,
            antonyms=self.antonyms,
            per_sentence=self.per_sentence,
            seed=seed,
            known=known,
        )


def _describe_yield(total: int, different: int, table: pl.DataFrame) -> list[str]:
    """Report how many sentences were duplicates, and how many gave a pair."""
    giving = table.select("source_id", "source_side").n_unique()
    again = [f"{total - different:,} of {total:,} sentences repeat an earlier one and were used once."]
    return [*(again if total > different else []), f"{giving:,} of {different:,} sentences give a pair."]
