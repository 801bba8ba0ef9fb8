"""The spelling test: one word of each hypothesis is misspelt, which leaves its label as it was (Naik et al. 2018).

mode=faithful does what the released scripts do, with keyed draws instead of unseeded ones. A word is drawn from the
tokens, lower-cased where no tags are needed, and the first place in the text that has its letters is changed, even
inside another word. The capitalised form is changed if it occurs; in the released file of swaps, only if the lower-case
one does not. Pairs without a candidate are left out. Singular nouns do not count as content words. Where a script would
loop forever, for lack of a letter on the keyboard, the pair is left out too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import polars as pl

from rightreasons.core.edits import EDIT_TAGS, SOURCE_TAGS, build_source_tags, replace_at_offset
from rightreasons.core.errors import InputError
from rightreasons.core.keyed_random import derive_numbers, draw_numbers, scale_to_range
from rightreasons.core.labels import THREE_LABELS
from rightreasons.core.options import get_options, option
from rightreasons.core.parts import SetPart
from rightreasons.corpora import read_corpus
from rightreasons.language.tokens import tokens
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
from rightreasons.sets.stress.misspellings import (
    KEYBOARD,
    VARIANTS,
    Operation,
    Variant,
    choose_misspellings,
    filter_misspellable_tokens,
    swap_letters,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

CONTENT = ("NNP", "NNS", "NNPS", "JJ", "JJR", "JJS")
FUNCTION = ("IN", "CC", "DT", "PRP", "PRP$", "WP", "WP$")
_TAGS = {"content": CONTENT, "function": FUNCTION}
_TRIES = 5
_FEWEST = 3  # different letters of a word whose letters are swapped
_HALF = np.uint64(32)
Word = tuple[str, str | None]  # with its tag
Choice = Literal["content", "function", "swap", "keyboard", "mixed", "each"]
RealWords = Literal["avoid", "allow"]
_OWN = ("operation", "word", "misspelling", "position", "word_tag", "edited")


class SpellingEdit(NamedTuple):
    """What a script did to a text, and to which word it meant to do it; nothing was done where `edit_to` is null."""

    operation: str
    word: str
    misspelling: str
    position: int
    word_tag: str | None
    edit_at: int | None
    edit_from: str | None
    edit_to: str | None


RELEASED_SCHEMA = {
    "row": pl.UInt32,
    **dict.fromkeys(SpellingEdit._fields, pl.String),
    "position": pl.Int64,
    "edit_at": pl.Int64,
}


class DrawnNumbers:
    """The numbers drawn for one text, one after the other."""

    def __init__(self, numbers: Sequence[int]) -> None:
        """Set the 32-bit numbers to use."""
        self._numbers = iter(numbers)

    def draw_below(self, bound: int) -> int:
        """Return the next number, scaled to the range from 0 to a bound."""
        return next(self._numbers) * bound >> 32


def list_released_misspellings(
    texts: pl.Series, token_table: pl.DataFrame, drawn: NDArray[np.uint64], variant: Variant
) -> pl.DataFrame:
    """Return the edit of each text by the released scripts, given its tokens; texts that they skip have no row."""
    numbers = np.stack(
        [derive_numbers(drawn, number) >> _HALF for number in range(2 * _TRIES)], axis=1
    ).tolist()
    token = pl.col("token") if variant in _TAGS else pl.col("token").str.to_lowercase()
    grouped = token_table.select("row", token, "tag").group_by("row", maintain_order=True).all()
    edits = []
    for row, words, tags in grouped.iter_rows():
        edit = _misspell_text_as_released(
            texts[row], list(zip(words, tags, strict=True)), variant, DrawnNumbers(numbers[row])
        )
        if edit:
            edits.append((row, *edit))
    return pl.DataFrame(edits, schema=RELEASED_SCHEMA, orient="row")


def _misspell_text_as_released(
    text: str, words: list[Word], variant: Variant, chance: DrawnNumbers
) -> SpellingEdit | None:
    fit = [word for word in words if _is_released_candidate(*word, variant)]
    if not fit:
        return None
    if variant == "swap":
        return _try_swaps(text, fit, chance)
    word = fit[chance.draw_below(len(fit))]
    by_keyboard = variant == "keyboard" or chance.draw_below(2)
    return _misspell_word_in_text(
        text, word, "keyboard" if by_keyboard else "swap", chance, capital_first=True
    )


def list_swapped_texts(text: str, words: Iterable[str]) -> set[str]:
    """List all texts that the swaps can make of one, given its tokens in lower case."""
    swapped = set()
    for word in {word for word in words if _is_released_candidate(word, None, "swap")}:
        for at in range(len(word) - 1):
            change = find_word_replacement(text, word, swap_letters(word, at), capital_first=False)
            if change:
                swapped.add(text[: change[0]] + change[2] + text[change[0] + len(change[1]) :])
    return swapped


def _is_released_candidate(word: str, tag: str | None, variant: Variant) -> bool:
    """Return whether a script takes a word; the words for swaps have more than two different characters."""
    if variant == "swap":
        return "-" not in word and len(set(word)) >= _FEWEST
    if variant == "keyboard":
        return len(word) > 1 and not KEYBOARD.keys().isdisjoint(word)
    return len(word) > 1 and tag in _TAGS[variant]


def _try_swaps(text: str, fit: list[Word], chance: DrawnNumbers) -> SpellingEdit | None:
    """Try a few times to swap two letters of some word so that the text changes."""
    for _ in range(_TRIES):
        edit = _misspell_word_in_text(
            text, fit[chance.draw_below(len(fit))], "swap", chance, capital_first=False
        )
        if edit.edit_to is not None:
            return edit
    return None


def _misspell_word_in_text(
    text: str, word: Word, operation: Operation, chance: DrawnNumbers, *, capital_first: bool
) -> SpellingEdit:
    """Change a letter of the word, where there is one that can be changed, and put the result into the text."""
    letters, tag = word
    places = [at for at, letter in enumerate(letters) if letter in KEYBOARD]
    if operation == "swap":
        at = chance.draw_below(len(letters) - 1)
        new = swap_letters(letters, at)
    elif places:
        at = places[chance.draw_below(len(places))]
        keys = KEYBOARD[letters[at]]
        new = letters[:at] + keys[chance.draw_below(len(keys))] + letters[at + 1 :]
    else:
        at, new = 0, letters
    change = find_word_replacement(text, letters, new, capital_first=capital_first)
    return SpellingEdit(operation, letters, new, at, tag, *(change or (None, None, None)))


def find_word_replacement(
    text: str, word: str, new: str, *, capital_first: bool
) -> tuple[int, str, str] | None:
    """Find where a word's letters stand first, in small or capitalised; None where nothing changes."""
    if word.capitalize() in text and (capital_first or word not in text):
        word, new = word.capitalize(), new.capitalize()
    if word == new or word not in text:
        return None
    return text.index(word), word, new


def misspell_pairs(
    pairs: pl.DataFrame,
    token_table: pl.DataFrame,
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
    for number, (one, selected) in enumerate(_select_pairs_by_variant(ids, variant, seed)):
        drawn = draw_numbers(ids, Spelling.name, Spelling.version, seed, one)
        own = (
            token_table
            if selected.all()
            else token_table.filter(pl.Series(selected[token_table["row"].to_numpy()]))
        )
        if mode == "faithful":
            edits = list_released_misspellings(pairs["hypothesis"], own, drawn, one)
        else:
            edits = _add_unedited_rows(
                choose_misspellings(
                    filter_misspellable_tokens(own, one), drawn, one, avoid=real_words == "avoid"
                ),
                selected,
            )
        parts.append(edits.with_columns(pl.lit(one).alias("variant"), pl.lit(number).alias("part")))
    return _build_misspelled_pairs(pairs, pl.concat(parts).sort("row", "part"))


def _select_pairs_by_variant(
    ids: list[str], variant: Choice, seed: int
) -> list[tuple[Variant, NDArray[np.bool_]]]:
    """Return the pairs of each variant: one variant for all, all four for each, or one of the four by draw."""
    everything = np.ones(len(ids), dtype=bool)
    if variant == "each":
        return [(one, everything) for one in VARIANTS]
    if variant == "mixed":
        which = scale_to_range(
            draw_numbers(ids, Spelling.name, Spelling.version, seed, "mixed"), len(VARIANTS)
        )
        return [(one, which == number) for number, one in enumerate(VARIANTS)]
    return [(variant, everything)]


def _add_unedited_rows(edits: pl.DataFrame, selected: NDArray[np.bool_]) -> pl.DataFrame:
    """Add the rows that have no edit."""
    rows = pl.DataFrame({"row": np.flatnonzero(selected).astype(np.uint32)})
    return rows.join(edits, on="row", how="left", maintain_order="left")


def _build_misspelled_pairs(pairs: pl.DataFrame, edits: pl.DataFrame) -> pl.DataFrame:
    """Join pairs and edits by `row`, the row number of the pair."""
    sources = pairs.select("id", "premise", "hypothesis", "label", "genre")[edits["row"].to_numpy()]
    both = sources.hstack(edits).with_columns(
        pl.col("edit_at").fill_null(0),
        pl.col("edit_from", "edit_to").fill_null(""),
        pl.col("edit_to").is_not_null().alias("edited"),
    )
    new = replace_at_offset(pl.col("hypothesis"), pl.col("edit_at"), pl.col("edit_from"), pl.col("edit_to"))
    return both.select(
        pl.concat_str(pl.lit("spelling-"), "id", pl.lit("-"), "variant").alias("id"),
        "premise",
        new.alias("hypothesis"),
        "label",
        *build_source_tags(Spelling.name, pl.col("variant")),
        pl.lit("hypothesis").alias("side"),
        *EDIT_TAGS[1:],
        *_OWN,
    )


@dataclass(frozen=True, kw_only=True)
class Spelling(SetPart):
    """Spelling: a word of each hypothesis has two letters swapped, or one from the next key."""

    name = "stress/spelling"
    version = 1
    labels = THREE_LABELS
    paper = "Naik et al. 2018"
    tags = (*SOURCE_TAGS, *EDIT_TAGS, *_OWN)

    variant: Choice = option(
        "content",
        help="Words to misspell: content, function, any by swap or keyboard; mixed at random; each: all four.",
    )
    real_words: RealWords | None = option(
        None, help="Misspellings that are words: avoid or allow; avoid by default, allow if mode=faithful."
    )
    tagger: str = option("default", help=TAGGER_HELP)
    corpus: tuple[str, ...] = option(POCKET, help=CORPUS_HELP)
    mode: Mode = option(
        "corrected",
        help="corrected, or faithful to the released scripts: change the first match.",
    )
    short: Short = option("refuse", help=SHORT_HELP)

    def __post_init__(self) -> None:
        """Refuse options that contradict each other."""
        if self.mode == "faithful" and self.real_words == "avoid":
            raise InputError(
                "real_words=avoid contradicts mode=faithful, which allows misspellings that are words. "
                "Omit real_words, or use -o mode=corrected."
            )

    @property
    def _real_words(self) -> RealWords:
        return self.real_words or ("allow" if self.mode == "faithful" else "avoid")

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TablePlan:
        """Plan a sample of the misspelt pairs: `size` of each variant, `limit` in all, or all of them."""
        check_eval_split(self.name, split)
        corpus = read_corpus(self.corpus)
        token_table = self._tokenize_hypotheses(corpus.pairs)
        table = misspell_pairs(
            corpus.pairs,
            token_table,
            variant=self.variant,
            real_words=self._real_words,
            mode=self.mode,
            seed=seed,
        )
        return plan_corpus_set(
            self,
            table,
            SampleRequest(size, limit, seed, split),
            options=get_options(self) | {"real_words": self._real_words},
            sources=corpus.card.sources,
            remarks=(*corpus.card.remarks, *self._describe_unedited_pairs(corpus.pairs.height, table)),
        )

    def _tokenize_hypotheses(self, pairs: pl.DataFrame) -> pl.DataFrame:
        parses = pairs["hypothesis_parse"] if "hypothesis_parse" in pairs.columns else None
        tagged = self.variant not in ("swap", "keyboard")
        return tokens(pairs["hypothesis"], parses, tagged=tagged, tagger=self.tagger)

    def _describe_unedited_pairs(self, height: int, table: pl.DataFrame) -> list[str]:
        """Report how many pairs have no word to misspell."""
        expected = height * (len(VARIANTS) if self.variant == "each" else 1)
        unedited = table.filter(~pl.col("edited")).height
        unchanged = [f"{unedited:,} of {expected:,} hypotheses are unchanged: no word was misspelt."]
        gone = [
            f"{expected - table.height:,} of {expected:,} pairs were left out: they have no word to misspell."
        ]
        return (unchanged if unedited else []) + (gone if table.height < expected else [])
