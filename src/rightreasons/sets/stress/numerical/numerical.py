"""The numerical test: does a number, or a comparison with one, follow from another (Naik et al. 2018)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.labels import THREE
from rightreasons.core.parts import SetPart
from rightreasons.corpora import read_texts
from rightreasons.language.sentences import sentences
from rightreasons.language.tokens import DEFAULT, SPACY, tokens
from rightreasons.sets.corpus_set import POCKET, Mode, Sample, Short, TablePlan, check_eval, corpus_plan
from rightreasons.sets.stress.numerical.faithful import faithful_pairs
from rightreasons.sets.stress.numerical.pairs import NAME, TAGS, VERSION, Less, numerical_pairs
from rightreasons.sets.stress.numerical.sentences import hopeful, sentence_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Numerical(SetPart):
    """Numerical reasoning: "more than 20", "less than 90" or another number, against the number of a sentence."""

    name = NAME
    version = VERSION
    labels: tuple[str, ...] = THREE
    paper = "Naik et al. 2018"
    reads = "texts"
    tags = TAGS

    def __init__(
        self,
        *,
        corpus: tuple[str, ...] = POCKET,
        mode: Mode = "corrected",
        numeric_answer: bool = False,
        rationale: int | None = None,
        entity: bool = False,
        less: Less = "less",
        tagger: str = "default",
        short: Short = "refuse",
    ) -> None:
        """Take the options.

        Args:
            corpus: files of word problems, lines or pairs, hf:NAME, or pocket for the sentences inside the package.
            mode: corrected, or faithful to the released procedure with its defects.
            numeric_answer: take only word problems whose answer is a number; above 1 in faithful, as released.
            rationale: take only word problems with a rationale of at most that many sentences.
            entity: take only sentences that name a person, a place or an organisation.
            less: the word before things that are counted: less than 12 boys as in the paper, or fewer than 12 boys.
            tagger: what tags words and finds names: default, or spacy:NAME for a pipeline of your own.
            short: refuse to give fewer pairs than were asked for, or allow it.
        """
        if rationale is not None and rationale < 1:
            raise InputError(f"The option rationale is {rationale}. Allow at least 1 sentence.")
        if mode == "faithful" and less != "less":
            raise InputError(
                f"The option less is {less}, and mode=faithful writes less, as the paper does. Leave one of them out."
            )
        self.corpus = corpus
        self.mode: Mode = mode
        self.numeric_answer = numeric_answer
        self.rationale = rationale
        self.entity = entity
        self.less: Less = less
        self.tagger = tagger
        self.short: Short = short

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TablePlan:
        """Plan a sample of the pairs that the texts give: `size` of each direction, `limit` in all, or all."""
        check_eval(self.name, split)
        texts = read_texts(self.corpus)
        self._check(texts.table)
        problems = texts.table.filter(self._problems())
        # How the released premises were cut from their problems is not known: those that are given stay as they are.
        whole = sentence_table(problems, problems_only=self.mode == "faithful")
        table = self._pairs(whole, seed)
        said = (
            f"{problems.height:,} of {texts.table.height:,} texts were taken: {whole.height:,} different sentences.",
            f"{table.height // len(THREE):,} sentences have a number that was compared.",
        )
        return corpus_plan(
            self,
            table,
            Sample(size, limit, seed, split),
            options=self._options(),
            sources=texts.sources,
            remarks=(*texts.remarks, *said),
        )

    def _options(self) -> dict[str, object]:
        return {
            "corpus": list(self.corpus),
            "mode": self.mode,
            "numeric_answer": self.numeric_answer,
            "rationale": self.rationale,
            "entity": self.entity,
            "less": self.less,
            "tagger": self.tagger,
        }

    def _check(self, texts: pl.DataFrame) -> None:
        """Refuse a filter by what none of the texts has."""
        asked = {
            "answer": ("numeric_answer", self.numeric_answer),
            "rationale": ("rationale", self.rationale is not None),
        }
        for column, (option, given) in asked.items():
            if given and texts[column].null_count() == texts.height:
                raise InputError(
                    f"The texts of {', '.join(self.corpus)} have no {column}, and the option {option} goes by it. "
                    f"Leave {option} out, or give word problems that have one, as those of AQuA-RAT and GSM8K."
                )

    def _problems(self) -> Iterator[pl.Expr]:
        """Say which word problems are taken."""
        yield pl.lit(value=True)
        if self.numeric_answer:
            number = (
                pl.col("answer").str.strip_chars().str.replace_all(",", "").cast(pl.Float64, strict=False)
            )
            # The released script wants more than 1; the paper only a number.
            yield number.is_finite() & ((number > 1) if self.mode == "faithful" else True)
        if self.rationale is not None:
            length = pl.col("rationale").map_elements(rationale_length, return_dtype=pl.Int64)
            yield length <= self.rationale

    def _pairs(self, whole: pl.DataFrame, seed: int) -> pl.DataFrame:
        """Make all pairs of the sentences, in the mode that was chosen."""
        chosen = hopeful(whole) if self.mode == "corrected" else whole
        if self.entity:
            chosen = chosen.filter(named(chosen["text"], self.tagger))
        if self.mode == "faithful":
            return faithful_pairs(chosen, seed=seed)
        return numerical_pairs(chosen, tokens(chosen["text"], tagger=self.tagger), seed=seed, less=self.less)


def rationale_length(text: str) -> int:
    """Count the sentences of a rationale; every line of it begins a new one."""
    return sum(len(sentences(line)) for line in text.splitlines())


def named(texts: pl.Series, tagger: str = DEFAULT) -> pl.Series:
    """Tell which sentences name a person, a place or an organisation."""
    having = set(_by_pipeline(texts, tagger) if tagger.startswith(SPACY) else _by_lists(texts))
    return pl.Series([row in having for row in range(len(texts))], dtype=pl.Boolean)


def _by_pipeline(texts: pl.Series, tagger: str) -> Iterable[int]:
    from rightreasons.language.spacy_adapter import entities

    return entities(texts, tagger.removeprefix(SPACY))["row"]


def _by_lists(texts: pl.Series) -> Iterable[int]:
    from rightreasons.language.names import entities

    found = tokens(texts).group_by("row", maintain_order=True).agg("start", "end", "tag")
    rows = zip(found["row"], found["start"], found["end"], found["tag"], strict=True)
    return (row for row, *columns in rows if entities(texts[row], list(zip(*columns, strict=True))))
