"""Antonyms across premise and hypothesis: the list of antonyms, and which pairs have one word in each text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import polars as pl

from rightreasons.core.labels import CONTRADICTION, NON_ENTAILMENT
from rightreasons.language.wordnet import wordnet
from rightreasons.scoring.proportion import compute_clustered_proportion
from rightreasons.sets.stress.antonym_edits import load_curated_antonyms

if TYPE_CHECKING:
    import numpy.typing as npt

    from rightreasons.audits.audit_corpus import AuditCorpus
    from rightreasons.language.word_codes import PairWords, WordColumn
    from rightreasons.scoring.proportion import Proportion

    Rows = npt.NDArray[np.int64]

Words: TypeAlias = Literal["lemmas", "as-written"]
LEMMAS, AS_WRITTEN = "lemmas", "as-written"
PAIR = ["first", "second"]  # the two words in lower case, sorted
CURATED, WORDNET = "curated", "WordNet"
TYPES = ("complementary", "gradable", "relational")  # of curated antonyms
PARTS_OF_SPEECH = {"n": "noun", "v": "verb", "a": "adjective", "r": "adverb"}
_SINGLE_WORD = re.compile(r"[^\W_]+")
_CODE_MASK = (1 << 32) - 1


@lru_cache(maxsize=1)
def load_antonyms() -> pl.DataFrame:
    """List the direct antonyms of WordNet, and this package's curated ones: first, second, type and lists.

    A pair is in one row, whichever word comes first, with a column for each part of speech and one for the curated
    list; `type` is known for curated pairs only. Antonyms of several words are left out.
    """
    lists = (CURATED, *PARTS_OF_SPEECH.values())
    rows: list[tuple[str, str, str, str | None]] = [
        (one, other, PARTS_OF_SPEECH[pos], None) for one, other, pos in wordnet().all_antonyms()
    ]
    rows += [
        (entry.lemma, entry.antonym, CURATED, entry.kind)
        for entries in load_curated_antonyms().values()
        for entry in entries
    ]
    single = [
        (*sorted((one, other)), *more)
        for one, other, *more in rows
        if one != other and _SINGLE_WORD.fullmatch(one) and _SINGLE_WORD.fullmatch(other)
    ]
    table = pl.DataFrame(single, schema=dict.fromkeys((*PAIR, "list", "type"), pl.String), orient="row")
    return (
        table.group_by(PAIR)
        .agg(
            *((pl.col("list") == name).any().alias(name) for name in lists),
            pl.col("type").drop_nulls().first(),
        )
        .sort(PAIR)
    )


@dataclass(frozen=True, eq=False)
class AntonymsAcross:
    """Where antonyms stand across premise and hypothesis.

    `found` has a row for each pair and each of its antonyms: `row`, `antonyms` (their place in the table of antonyms),
    and `replaced`: whether neither word is in both texts. `frequency` is the number of pairs with each word, by word.
    """

    found: pl.DataFrame
    frequency: dict[str, int]

    @classmethod
    def from_words(cls, words: PairWords, antonyms: pl.DataFrame, compared: Words) -> AntonymsAcross:
        """Find all antonyms of a table with one word in the premise and the other in the hypothesis."""
        forms = _list_antonym_forms(words.vocabulary, antonyms, compared)
        premise, hypothesis = (_list_row_words(side, forms) for side in (words.premise, words.hypothesis))
        across = find_words_across(premise, hypothesis, antonyms.select(PAIR).with_row_index("antonyms"))
        both = premise.join(hypothesis, on=["row", "word"]).with_columns(both=True)
        for name in PAIR:
            across = across.join(
                both, left_on=["row", name], right_on=["row", "word"], how="left", maintain_order="left"
            ).rename({"both": f"both {name}"})
        apart = pl.all_horizontal(pl.col(f"both {name}").is_null() for name in PAIR)
        counts = pl.concat([premise, hypothesis]).unique().group_by("word").len()
        found = across.select("row", "antonyms", replaced=apart).sort("row", "antonyms")
        return cls(found, dict(counts.iter_rows()))


@dataclass(frozen=True, eq=False)
class AntonymTable:
    """The antonyms, and the pairs of a corpus that have them across."""

    corpus: AuditCorpus
    antonyms: pl.DataFrame  # with their numbers of pairs, and of pairs with the target label (times)
    across: AntonymsAcross
    target: str  # contradiction, or non-entailment where the corpus has two labels

    @classmethod
    def from_corpus(cls, corpus: AuditCorpus, compared: Words) -> AntonymTable:
        """Find the antonyms of a corpus, and count labels."""
        antonyms = load_antonyms()
        across = AntonymsAcross.from_words(corpus.words, antonyms, compared)
        target = NON_ENTAILMENT if NON_ENTAILMENT in corpus.labels else CONTRADICTION
        labels = corpus.pairs["label"][across.found["row"]]
        counts = (
            across.found.with_columns(label=labels)
            .group_by("antonyms")
            .agg(pl.len().alias("pairs"), (pl.col("label") == target).sum().alias("times"))
        )
        numbers = pl.exclude("antonyms", *antonyms.columns).fill_null(0).cast(pl.Int64)
        table = antonyms.with_row_index("antonyms").join(counts, on="antonyms", how="left")
        named = table.with_columns(numbers, words=pl.concat_str("first", "second", separator=" / "))
        return cls(corpus, named.sort("antonyms"), across, target)

    @cached_property
    def whole_share(self) -> Proportion:
        """The share of the target label in the corpus."""
        return self.compute_target_share(np.arange(len(self.corpus)))

    @cached_property
    def across_share(self) -> Proportion:
        """The share of the target label in the pairs with any antonyms across."""
        return self.compute_target_share(self.select_rows())

    @cached_property
    def groups(self) -> dict[str, pl.DataFrame]:
        """The antonyms of each list, and of each type or part of speech in it."""
        known = pl.any_horizontal(PARTS_OF_SPEECH.values())
        groups = {CURATED: pl.col(CURATED)}
        groups |= {f"{CURATED}, {kind}": pl.col(CURATED) & (pl.col("type") == kind) for kind in TYPES}
        groups |= {WORDNET: known} | {f"{WORDNET}, {pos}": pl.col(pos) for pos in PARTS_OF_SPEECH.values()}
        return {name: self.antonyms.filter(within) for name, within in groups.items()}

    def select_rows(self, antonyms: int | None = None, *, replaced: bool = False) -> Rows:
        """Select the rows of the corpus that have some antonyms across, or any."""
        found = self.across.found
        if antonyms is not None:
            found = found.filter(pl.col("antonyms") == antonyms)
        if replaced:
            found = found.filter("replaced")
        return found["row"].unique().sort().to_numpy().astype(np.int64)

    def compute_target_share(self, rows: Rows) -> Proportion:
        """Compute the share of the target label in some rows."""
        clusters = self.corpus.sharing.clusters
        hits = self.corpus.pairs["label"][rows] == self.target
        return compute_clustered_proportion(hits, None if clusters is None else clusters[rows])


def _list_antonym_forms(vocabulary: pl.Series, antonyms: pl.DataFrame, compared: Words) -> pl.DataFrame:
    """List which words of the vocabulary, by their number, are forms of which of the antonyms."""
    wanted = set(antonyms["first"]) | set(antonyms["second"])
    lexicon = wordnet()
    found = [
        (code, lemma)
        for code, word in enumerate(vocabulary)
        for lemma in (
            {word, *(base for pos in PARTS_OF_SPEECH for base in lexicon.base_forms(word, pos))}
            if compared == LEMMAS
            else {word}
        )
        if lemma in wanted
    ]
    return pl.DataFrame(found, schema={"code": pl.UInt32, "word": pl.String}, orient="row")


def _list_row_words(side: WordColumn, forms: pl.DataFrame) -> pl.DataFrame:
    """List the antonyms that occur in each row of one side."""
    occurring = np.zeros(int(side.codes.max(initial=-1)) + 1, dtype=bool)
    known = forms["code"].to_numpy()
    occurring[known[known < len(occurring)]] = True
    both = side.row_words
    both = both[occurring[both & _CODE_MASK]]
    table = pl.DataFrame(
        {"row": (both >> 32).astype(np.uint32), "code": (both & _CODE_MASK).astype(np.uint32)}
    )
    return table.join(forms, on="code").select("row", "word").unique()


def find_words_across(
    premise: pl.DataFrame, hypothesis: pl.DataFrame, word_pairs: pl.DataFrame
) -> pl.DataFrame:
    """Find the rows with one word of a pair in the premise and the other in the hypothesis, each row and pair once.

    The texts are tables of `row` and `word`; `word_pairs` has the words as `first` and `second`, and any others.
    """
    one, other = pl.col("first"), pl.col("second")
    ways = [
        word_pairs.with_columns(word=here, opposite=there) for here, there in ((one, other), (other, one))
    ]
    across = premise.join(pl.concat(ways), on="word").join(
        hypothesis, left_on=["row", "opposite"], right_on=["row", "word"]
    )
    return across.select("row", *word_pairs.columns).unique()


def count_antonym_contradictions(word_pairs: pl.DataFrame, training: pl.DataFrame) -> pl.DataFrame:
    """Count, for each word pair `first` and `second`, the contradictions with one word on each side, as written."""
    wanted = word_pairs.select(PAIR).unique()
    words = pl.concat([wanted["first"], wanted["second"]]).unique()
    rows = training.filter(label=CONTRADICTION).with_row_index("row")
    premise, hypothesis = (
        rows.select("row", pl.col(side).str.to_lowercase().str.extract_all(r"[\w'-]+").alias("word"))
        .explode("word")
        .filter(pl.col("word").is_in(words.implode()))
        .unique()
        for side in ("premise", "hypothesis")
    )
    return find_words_across(premise, hypothesis, wanted).group_by(PAIR).agg(times=pl.len())
