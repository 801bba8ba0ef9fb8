"""The sentences that texts are made of, and those of them whose words leave room for an asserted quantity."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.language.number_contexts import other_use
from rightreasons.language.numbers import numbers
from rightreasons.language.sentences import sentences
from rightreasons.sets.stress.numerical.magnitudes import room

if TYPE_CHECKING:
    from rightreasons.language.numbers import Number

SCHEMA = {"id": pl.String, "text": pl.String, "genre": pl.String}
# Words that make a sentence ask, command, suppose, plan, report or deny.
_UNASSERTED = (
    "if unless whether suppose supposing supposed assume assuming assumed let lets given imagine consider find "
    "calculate determine compute evaluate solve how what why would will shall should could can cannot may might must "
    "ought gonna wish wishes wished hope hopes hoped hoping want wants wanted wanting plan plans planned planning "
    "intend intends intended expect expects expected aim aims aimed try tries tried trying decide decides decided "
    "promise promises promised think thinks thought believe believes believed guess guesses guessed estimate estimates "
    "estimated predict predicts predicted say says said saying claim claims claimed tell tells told ask asks asked "
    "dream dreams dreamed goal require requires required allow allows allowed not no never none nobody nothing neither "
    "nor nowhere without hardly barely scarcely rarely seldom except unlikely likely probably possibly maybe perhaps "
    "approximately respectively otherwise instead please either ratio when whenever enough same equal equals "
    "equivalent figure figures figured"
)
_PHRASES = r"\b(?:going|needs?|needed|ha[sd]|have|able|is|are|was|were) to\b|n['\u2019]t\b|['\u2019]ll\b"
_MARKS = r"[?=:;()\[\]{}<>\x22\u201c\u201d|\n\r\t]|``|''"
UNASSERTED = rf"(?i)\b(?:{'|'.join(_UNASSERTED.split())})\b|{_PHRASES}|{_MARKS}"
_SUM = 2  # numbers that may add up to a third
BEGINNING = r"^[\p{Lu}0-9\p{Sc}]"
NUMERIC = (
    r"(?i)[0-9]|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million|billion)\b"
)


def sentence_table(texts: pl.DataFrame, *, problems_only: bool = False) -> pl.DataFrame:
    """Split texts into their sentences: id, text, genre; the id of a text of several sentences gets their number.

    With `problems_only` texts that are no word problems, which have an answer, are taken for sentences as they are.
    """
    ids, found, genres = [], [], []
    answer = pl.col("answer") if problems_only else pl.lit("")
    for own, text, genre, known in texts.select("id", "text", "genre", answer.alias("answer")).iter_rows():
        spans = sentences(text) if known is not None else [(0, len(text))]
        for number, (start, end) in enumerate(spans, start=1):
            ids.append(_sentence_id(own, number, len(spans)))
            found.append(text[start:end])
            genres.append(genre)
    table = pl.DataFrame({"id": ids, "text": found, "genre": genres}, schema=SCHEMA)
    # Of sentences that occur again, the one with the first id stays, whatever their order.
    first = table.with_row_index("row").sort("id").unique("text", keep="first", maintain_order=True)
    return first.sort("row").drop("row")


def _sentence_id(own: str, number: int, of: int) -> str:
    """Name a sentence; a lone one has the name of its text, unless that looks like the name of one of several."""
    _, mark, last = own.rpartition("#")
    return own if of == 1 and not (mark and last.isdigit()) else f"{own}#{number}"


def asserting(text: pl.Expr) -> pl.Expr:
    """Tell by its words whether a sentence may assert a quantity."""
    return text.str.contains(BEGINNING) & text.str.contains(NUMERIC) & ~text.str.contains(UNASSERTED)


# Every sentence is asked twice: before it is tagged, and after.
@lru_cache(maxsize=1 << 15)
def quantities_of(text: str) -> tuple[Number, ...]:
    """List the numbers of a sentence that are free quantities by the words around them, with room on a side."""
    found = numbers(text)
    total = sum(one.millionths for one in found) if len(found) > _SUM else None
    return tuple(
        number
        for which, number in enumerate(found)
        if any(room(number))
        and other_use(text, found, which) is None
        # Where the other numbers add up to one, it would still follow from them.
        and (total is None or 2 * number.millionths != total)
    )


def hopeful(table: pl.DataFrame) -> pl.DataFrame:
    """Keep the sentences that their words don't rule out: only these are worth tagging."""
    asserted = table.filter(asserting(pl.col("text")))
    return asserted.filter([bool(quantities_of(text)) for text in asserted["text"]])
