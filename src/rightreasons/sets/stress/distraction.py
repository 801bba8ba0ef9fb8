"""The distraction tests: a tautology is attached to one side of each pair, which leaves its label as it was.

Word overlap and negation put it into the hypothesis, length mismatch puts five into the premise (Naik et al. 2018).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl

from rightreasons.core.edits import EDIT, SOURCE, applied, source_tags
from rightreasons.core.errors import InputError
from rightreasons.core.labels import THREE
from rightreasons.core.parts import SetPart
from rightreasons.corpora import read_corpus
from rightreasons.sets.corpus_set import POCKET, Mode, Sample, Short, TablePlan, check_eval, corpus_plan
from rightreasons.sets.stress import distraction_faithful, sentence_end

if TYPE_CHECKING:
    from rightreasons.core.pairs import ChallengeSet

Side = Literal["premise", "hypothesis"]
MOST = 1_000  # repetitions: more of them make no other test, and would fill the memory
_STOPS = sentence_end.MARKS + ",;:"
_AND = re.compile(r"and\b", re.IGNORECASE)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True)
class Attachment:
    """What is attached, how often, to which side, and with a comma or not."""

    tautology: str
    repetitions: int = 1
    side: Side = "hypothesis"
    comma: bool = False

    def __post_init__(self) -> None:
        """Refuse what would attach nothing, too much, or no plain clause."""
        wrong = _fault(self.tautology.strip())
        if wrong:
            raise InputError(
                f"The tautology {self.tautology!r} {wrong}. "
                "Give the clause alone, such as -o tautology='green is not red'."
            )
        if not 1 <= self.repetitions <= MOST:
            raise InputError(
                f"The option repetitions is {self.repetitions:,}. Ask for at least 1 and at most {MOST:,}."
            )

    @property
    def clause(self) -> str:
        """Give the text that is put in."""
        once = f"{',' if self.comma else ''} and {self.tautology.strip()}"
        return once * self.repetitions


def _fault(tautology: str) -> str | None:
    """Say what keeps a text from being a plain clause; "and" and the final mark are put around it later."""
    if not any(letter.isalnum() for letter in tautology):
        return "is blank or has no word"
    if _CONTROL.search(tautology):
        return "has a line break, a tab or another control character"
    if _AND.match(tautology):
        return "begins with 'and', which is put before it anyway"
    if tautology[0] in _STOPS:
        return f"begins with the mark {tautology[0]!r}"
    last = tautology.rstrip(sentence_end.CLOSERS + sentence_end.SPACES)[-1]
    return f"ends in the mark {last!r}" if last in _STOPS else None


def distracted(
    name: str, pairs: pl.DataFrame, attachment: Attachment, mode: Mode = "corrected"
) -> pl.DataFrame:
    """Attach a tautology to one side of every pair; all pairs are kept, with their labels."""
    text = pl.col(attachment.side)
    headed = pairs.with_columns(sentence_end.heads(pairs[attachment.side]))
    _refuse_twice(headed, attachment)
    if mode == "faithful":
        edited = distraction_faithful.edited(pairs, attachment.side, attachment.clause)
    else:
        edited = headed.with_columns(_edit(text, attachment.clause))
    short = name.removeprefix("stress/")
    new = applied(text, pl.col("edit_at"), pl.col("edit_from"), pl.col("edit_to"))
    return edited.select(
        pl.concat_str(pl.lit(f"{short}-"), "id").alias("id"),
        *(new.alias(side) if side == attachment.side else pl.col(side) for side in ("premise", "hypothesis")),
        "label",
        *source_tags(name, short),
        pl.lit(attachment.side).alias("side"),
        *EDIT[1:],
        pl.lit(attachment.tautology.strip()).alias("tautology"),
    )


def _edit(text: pl.Expr, clause: str) -> list[pl.Expr]:
    """Say what is put in where: after the head, and nothing is taken out."""
    head = pl.col("head")
    bare = (
        pl.when(head.str.contains("[,;:]$")).then(pl.lit(clause.removeprefix(","))).otherwise(pl.lit(clause))
    )
    stop = pl.when(sentence_end.lacks_stop(head, text.str.strip_prefix(head))).then(pl.lit("."))
    return [
        head.str.len_chars().cast(pl.Int64).alias("edit_at"),
        pl.lit("").alias("edit_from"),
        pl.concat_str(bare, stop.otherwise(pl.lit(""))).alias("edit_to"),
    ]


def _refuse_twice(headed: pl.DataFrame, attachment: Attachment) -> None:
    """Refuse texts that end in the tautology already: the result would be another test than it says."""
    there = headed.filter(pl.col("head").str.ends_with(f" and {attachment.tautology.strip()}"))
    if there.height:
        raise InputError(
            f"The {attachment.side} of {there.height:,} of {headed.height:,} pairs ends in "
            f"'and {attachment.tautology.strip()}' already, first that of the pair {there['id'][0]!r}. "
            "Give the corpus as it was before, or another tautology."
        )


class Distraction(SetPart):
    """A tautology attached to one side of each pair."""

    name: str
    version = 1
    labels: tuple[str, ...] = THREE
    paper = "Naik et al. 2018"
    tags = (*SOURCE, *EDIT, "tautology")
    usual: ClassVar[Attachment]

    def __init__(
        self,
        *,
        tautology: str | None = None,
        repetitions: int | None = None,
        side: Side | None = None,
        comma: bool = False,
        corpus: tuple[str, ...] = POCKET,
        mode: Mode = "corrected",
        short: Short = "refuse",
    ) -> None:
        """Take the options.

        Args:
            tautology: the clause to attach, without "and"; the test's own unless told.
            repetitions: how often to attach it, up to 1,000 times; the test's own number unless told.
            side: premise or hypothesis; the test's own unless told.
            comma: write a comma before each "and".
            corpus: files of pairs, hf:NAME, or pocket for the pairs inside the package.
            mode: corrected, or faithful to the released script, which cuts texts at their first mark.
            short: refuse to give fewer pairs than were asked for, or allow it.
        """
        self.attachment = Attachment(
            self.usual.tautology if tautology is None else tautology,
            self.usual.repetitions if repetitions is None else repetitions,
            self.usual.side if side is None else side,
            comma,
        )
        self.corpus = corpus
        self.mode: Mode = mode
        self.short: Short = short

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TablePlan:
        """Plan a sample of the distracted pairs: `size` or `limit` of them, or all."""
        check_eval(self.name, split)
        corpus = read_corpus(self.corpus)
        table = distracted(self.name, corpus.pairs, self.attachment, self.mode)
        return corpus_plan(
            self,
            table,
            Sample(size, limit, seed, split),
            options=self._options(),
            sources=corpus.card.sources,
            remarks=self._remarks(corpus, table),
        )

    def _options(self) -> dict[str, object]:
        return {
            "tautology": self.attachment.tautology,
            "repetitions": self.attachment.repetitions,
            "side": self.attachment.side,
            "comma": self.attachment.comma,
            "corpus": list(self.corpus),
            "mode": self.mode,
        }

    def _remarks(self, corpus: ChallengeSet, table: pl.DataFrame) -> tuple[str, ...]:
        lost = table.filter(pl.col("edit_from") != "").height
        side = self.attachment.side
        said = f"{lost:,} of {table.height:,} pairs lost what came after the first mark of their {side}."
        return (*corpus.card.remarks, *([said] if lost else []))


class WordOverlap(Distraction):
    """Word overlap: "and true is true" in each hypothesis lowers the share of words in common."""

    name = "stress/word-overlap"
    usual = Attachment("true is true")


class Negation(Distraction):
    """Negation: "and false is not true" in each hypothesis brings a negation that changes nothing."""

    name = "stress/negation"
    usual = Attachment("false is not true")


class LengthMismatch(Distraction):
    """Length mismatch: "and true is true" five times over makes each premise longer."""

    name = "stress/length-mismatch"
    usual = Attachment("true is true", repetitions=5, side="premise")
