"""The distraction tests: a tautology is attached to one side of each pair, which leaves its label as it was.

Word overlap and negation attach it to the hypothesis, length mismatch attaches five to the premise (Naik et al. 2018).

mode=corrected attaches the clause before the marks that end the last sentence: the last run of sentence-final marks
with the closing quotes and brackets after them (`.`, `?!`, `..."`, `.)`). Closing quotes and brackets before this run
belong to the sentence, with the marks inside them: the end of `"Go!".` is the last dot. Commas, colons and dashes end
no sentence, so the clause goes after them, as in a text without any mark. The dot of an abbreviation (`U.S.`, `Ph.D.`,
`etc.`) stays with it; where it also ended the sentence, the clause brings its own.

mode=faithful does what the released script does: it looks for a mark in the hypothesis's parse and cuts the raw text at
its first full stop, exclamation or question mark, even in "Mr." or "4.75". The script edits hypotheses only; here the
premise is edited by the same rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl

from rightreasons.core.edits import EDIT_TAGS, SOURCE_TAGS, build_source_tags, replace_at_offset
from rightreasons.core.errors import InputError
from rightreasons.core.labels import THREE_LABELS
from rightreasons.core.options import option
from rightreasons.core.parts import SetPart
from rightreasons.corpora import read_corpus
from rightreasons.sets.corpus_set import (
    CORPUS_HELP,
    POCKET,
    SHORT_HELP,
    Mode,
    SampleRequest,
    Short,
    TablePlan,
    check_eval_split,
    plan_corpus_set,
)

if TYPE_CHECKING:
    from rightreasons.core.pairs import ChallengeSet

MARKS = ".!?…‼⁇⁈⁉‽。．｡！？؟۔।॥։።"  # noqa: RUF001 - marks of other scripts
CLOSERS = "\"'’”»›“‘)]}）］｝」』】〉》"  # noqa: RUF001 - marks of other scripts
# White space, and the marks without a width that set the direction of writing.
SPACES = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
SPACES += (
    "\u200a\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u202f\u205f\u2066\u2067\u2068\u2069"
)
SPACES += "\u3000\ufeff"
_TITLES = "Mr|Mrs|Ms|Dr|Prof|Rev|Hon|Gen|Maj|Brig|Sen|Rep|Gov|Capt|Cmdr|Adm|Sgt|Cpl|Lt|Col|Jr|Sr|Esq"
_OTHERS = "St|Mt|Rd|Ave|Blvd|Inc|Ltd|Corp|Co|Bros|Dept|Univ|Assn|et al|etc|vs|viz|approx|ft|oz|lbs?"
_MONTHS = "Jan|Feb|Apr|Aug|Sep|Sept|Oct|Nov|Dec"
_KNOWN = f"{_TITLES}|{_OTHERS}|{_MONTHS}"
# Of degrees; they stand for nothing by themselves.
_DEGREES = "Ph|Phil|Sc|Ed|Eng|Tech|Th|Litt|Psy|Pharm|LL"
_PIECE = rf"(?:\p{{L}}|{_KNOWN}|{_DEGREES})"
_ABBREVIATION = rf"(?:^|[^\p{{L}}.])(?:(?:{_PIECE}\.)+{_PIECE}|{_KNOWN})$"
# In a parse a mark stands before a space or a bracket; in raw text closing quotes may come first.
_IN_PARSE = r"[.!?][\s)]"
_IN_TEXT = r"""[.!?](?:[\s"'’”)\]]|$)"""  # noqa: RUF001 - a real quotation mark
_BEFORE = r"^([^.!?]*)[.!?]"
_MARK = r"^[^.!?]*([.!?] *)"
Side = Literal["premise", "hypothesis"]
MOST = 1_000  # repetitions: more of them make no other test, and would fill the memory
_TAUTOLOGY = 'Clause to append, without "and".'
_REPETITIONS = f"Number of times to append the clause, up to {MOST:,}."
_SIDE = "Text to append the clause to: premise or hypothesis."
_STOPS = MARKS + ",;:"
_AND = re.compile(r"and\b", re.IGNORECASE)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def cut_closing_marks(texts: pl.Series) -> pl.Series:
    """Return the part of each text that a clause is attached to; the rest closes the sentence."""
    text, open_, head, dotted = (pl.col(name) for name in ("text", "open", "head", "dotted"))
    bare = open_.str.strip_chars_end(MARKS + SPACES)
    # A text of nothing but marks has no sentence for them to end.
    unended = (bare == open_) | (bare.str.strip_chars_end(MARKS + CLOSERS + SPACES) == "")
    whole = text.str.strip_chars_end(SPACES)
    # Step by step: in one expression, each step would be recomputed wherever a later one uses it.
    steps = texts.alias("text").to_frame()
    steps = steps.with_columns(text.str.strip_chars_end(CLOSERS + SPACES).alias("open"))
    steps = steps.with_columns(pl.when(unended).then(whole).otherwise(bare).alias("head"))
    steps = steps.with_columns(pl.concat_str(head, pl.lit(".")).alias("dotted"))
    return steps.select(
        pl.when(_lost_abbreviation_dot(text, head, dotted)).then(dotted).otherwise(head).alias("head")
    ).to_series()


def needs_final_stop(head: pl.Expr, rest: pl.Expr) -> pl.Expr:
    """Return where the dot of an abbreviation was the only mark that ended the sentence."""
    ended = head.str.ends_with(".") & (rest.str.strip_chars(CLOSERS + SPACES) == "")
    return ended & head.str.strip_suffix(".").str.contains(_ABBREVIATION)


def _lost_abbreviation_dot(text: pl.Expr, head: pl.Expr, dotted: pl.Expr) -> pl.Expr:
    """Return where a head lost the dot of an abbreviation; the dots of an ellipsis are none."""
    ellipsis = text.str.starts_with(pl.concat_str(dotted, pl.lit(".")))
    return text.str.starts_with(dotted) & ~ellipsis & head.str.contains(_ABBREVIATION)


def add_released_edits(pairs: pl.DataFrame, side: str, clause: str) -> pl.DataFrame:
    """Return what the script removes and inserts; pairs are sorted by premise, as in the released files."""
    text = pl.col(side)
    before = text.str.extract(_BEFORE)
    cut = before.is_not_null() & _has_released_mark(pairs, side)
    mark = text.str.extract(_MARK)
    lost = cut & (pl.concat_str(before, mark) != text)
    at = pl.when(cut).then(before).otherwise(text).str.len_chars()
    return pairs.with_columns(
        at.cast(pl.Int64).alias("edit_at"),
        pl.when(lost).then(text.str.strip_prefix(before)).otherwise(pl.lit("")).alias("edit_from"),
        pl.when(lost).then(pl.concat_str(pl.lit(clause), mark)).otherwise(pl.lit(clause)).alias("edit_to"),
    ).sort("premise", maintain_order=True)


def _has_released_mark(pairs: pl.DataFrame, side: str) -> pl.Expr:
    """Return where the script saw a mark: in the parse where there is one, else in the text."""
    in_text = pl.col(side).str.contains(_IN_TEXT)
    parse = f"{side}_parse"
    if parse not in pairs.columns:
        return in_text
    return pl.coalesce(pl.col(parse).str.contains(_IN_PARSE), in_text)


@dataclass(frozen=True)
class Attachment:
    """What is attached, how often, to which side, and with a comma or not."""

    tautology: str
    repetitions: int = 1
    side: Side = "hypothesis"
    comma: bool = False

    def __post_init__(self) -> None:
        """Refuse what would attach nothing, too much, or no plain clause."""
        wrong = _describe_tautology_fault(self.tautology.strip())
        if wrong:
            raise InputError(
                f"The tautology {self.tautology!r} {wrong}. "
                "Give the clause alone, such as -o tautology='green is not red'."
            )
        if not 1 <= self.repetitions <= MOST:
            raise InputError(
                f"The option repetitions is {self.repetitions:,}. Use at least 1 and at most {MOST:,}."
            )

    @property
    def clause(self) -> str:
        """Return the text to insert."""
        once = f"{',' if self.comma else ''} and {self.tautology.strip()}"
        return once * self.repetitions


def _describe_tautology_fault(tautology: str) -> str | None:
    """Return why a text is not a plain clause, or None; "and" and the final mark are added later."""
    if not any(letter.isalnum() for letter in tautology):
        return "is blank or has no word"
    if _CONTROL.search(tautology):
        return "has a line break, a tab or another control character"
    if _AND.match(tautology):
        return "begins with 'and', which is added automatically"
    if tautology[0] in _STOPS:
        return f"begins with the mark {tautology[0]!r}"
    last = tautology.rstrip(CLOSERS + SPACES)[-1]
    return f"ends in the mark {last!r}" if last in _STOPS else None


def distract_pairs(
    name: str, pairs: pl.DataFrame, attachment: Attachment, mode: Mode = "corrected"
) -> pl.DataFrame:
    """Attach a tautology to one side of every pair; all pairs are kept, with their labels."""
    text = pl.col(attachment.side)
    headed = pairs.with_columns(cut_closing_marks(pairs[attachment.side]))
    _refuse_repeated_tautology(headed, attachment)
    if mode == "faithful":
        edited = add_released_edits(pairs, attachment.side, attachment.clause)
    else:
        edited = headed.with_columns(_make_insertion_columns(text, attachment.clause))
    short = name.removeprefix("stress/")
    new = replace_at_offset(text, pl.col("edit_at"), pl.col("edit_from"), pl.col("edit_to"))
    return edited.select(
        pl.concat_str(pl.lit(f"{short}-"), "id").alias("id"),
        *(new.alias(side) if side == attachment.side else pl.col(side) for side in ("premise", "hypothesis")),
        "label",
        *build_source_tags(name, short),
        pl.lit(attachment.side).alias("side"),
        *EDIT_TAGS[1:],
        pl.lit(attachment.tautology.strip()).alias("tautology"),
    )


def _make_insertion_columns(text: pl.Expr, clause: str) -> list[pl.Expr]:
    """Return the columns of the edit: an insertion after the head; nothing is removed."""
    head = pl.col("head")
    bare = (
        pl.when(head.str.contains("[,;:]$")).then(pl.lit(clause.removeprefix(","))).otherwise(pl.lit(clause))
    )
    stop = pl.when(needs_final_stop(head, text.str.strip_prefix(head))).then(pl.lit("."))
    return [
        head.str.len_chars().cast(pl.Int64).alias("edit_at"),
        pl.lit("").alias("edit_from"),
        pl.concat_str(bare, stop.otherwise(pl.lit(""))).alias("edit_to"),
    ]


def _refuse_repeated_tautology(headed: pl.DataFrame, attachment: Attachment) -> None:
    """Refuse texts that end in the tautology already: the result would be another test than it says."""
    there = headed.filter(pl.col("head").str.ends_with(f" and {attachment.tautology.strip()}"))
    if there.height:
        raise InputError(
            f"The {attachment.side} of {there.height:,} of {headed.height:,} pairs ends in "
            f"'and {attachment.tautology.strip()}' already, first in the pair {there['id'][0]!r}. "
            "Give the unedited corpus, or another tautology."
        )


@dataclass(frozen=True, kw_only=True)
class Distraction(SetPart):
    """A tautology attached to one side of each pair."""

    name: ClassVar[str]
    version = 1
    labels = THREE_LABELS
    paper = "Naik et al. 2018"
    tags = (*SOURCE_TAGS, *EDIT_TAGS, "tautology")
    tautology: str = option("true is true", help=_TAUTOLOGY)
    repetitions: int = option(1, help=_REPETITIONS)
    side: Side = option("hypothesis", help=_SIDE)
    comma: bool = option(False, help='Put a comma before each "and".')
    corpus: tuple[str, ...] = option(POCKET, help=CORPUS_HELP)
    mode: Mode = option(
        "corrected", help="corrected, or faithful to the released script: cut texts at the first mark."
    )
    short: Short = option("refuse", help=SHORT_HELP)

    def __post_init__(self) -> None:
        """Refuse options that attach nothing, too much, or no plain clause."""
        _ = self.attachment

    @property
    def attachment(self) -> Attachment:
        """Return what the options attach."""
        return Attachment(self.tautology, self.repetitions, self.side, self.comma)

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TablePlan:
        """Plan a sample of the distracted pairs: `size` or `limit` of them, or all."""
        check_eval_split(self.name, split)
        corpus = read_corpus(self.corpus)
        table = distract_pairs(self.name, corpus.pairs, self.attachment, self.mode)
        return plan_corpus_set(
            self,
            table,
            SampleRequest(size, limit, seed, split),
            sources=corpus.card.sources,
            remarks=self._collect_remarks(corpus, table),
        )

    def _collect_remarks(self, corpus: ChallengeSet, table: pl.DataFrame) -> tuple[str, ...]:
        lost = table.filter(pl.col("edit_from") != "").height
        side = self.attachment.side
        remark = f"{lost:,} of {table.height:,} pairs lost the text after the first mark of their {side}."
        return (*corpus.card.remarks, *([remark] if lost else []))


@dataclass(frozen=True, kw_only=True)
class WordOverlap(Distraction):
    """Word overlap: "and true is true" in each hypothesis lowers the share of words in common."""

    name = "stress/word-overlap"


@dataclass(frozen=True, kw_only=True)
class Negation(Distraction):
    """Negation: "and false is not true" in each hypothesis brings a negation that changes nothing."""

    name = "stress/negation"
    tautology: str = option("false is not true", help=_TAUTOLOGY)


@dataclass(frozen=True, kw_only=True)
class LengthMismatch(Distraction):
    """Length mismatch: "and true is true" five times over makes each premise longer."""

    name = "stress/length-mismatch"
    repetitions: int = option(5, help=_REPETITIONS)
    side: Side = option("premise", help=_SIDE)
