"""Read texts with quantities: word problems (AQuA-RAT, GSM8K, SVAMP), plain sentences, or the premises of a corpus.

A file of texts is told from a file of pairs by its columns; it may be any table, a JSON list, or lines of text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import polars as pl

from rightreasons.core import arguments
from rightreasons.core import text_errors as lines
from rightreasons.core.arguments import check_arguments
from rightreasons.core.column_checks import check_column_names
from rightreasons.core.errors import InputError
from rightreasons.core.pairs import PARSE_COLUMNS
from rightreasons.corpora import pair_formats
from rightreasons.corpora.corpus import POCKET_PAIRS, SourceTable, join_source_tables, read_source_pairs
from rightreasons.corpora.corpus_source import list_corpus_names, open_source
from rightreasons.corpora.generic_columns import ID_NAMES, LABEL_NAMES, TEXT_NAMES
from rightreasons.corpora.pair_checks import make_ids_unique
from rightreasons.io.tables import collect_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from rightreasons.corpora.corpus_source import CorpusSource, Names

    Reader = Callable[[pl.DataFrame], pl.DataFrame]

GENRE = "word problems"
LETTERS = {letter: number for number, letter in enumerate("ABCDE")}
NOTHING = pl.lit(None, dtype=pl.String)
_OPTION = r"(?s)^\s*([A-E])\s*\)\s*(.*?)\s*$"  # "A)21", and "A ) 21" in the files with tokens
_SUM = r"<<[^>]*>>"  # what GSM8K's calculator did
_RESULT = r"####\s*([^\n]+?)\s*$"
TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")
USUAL = {*LABEL_NAMES, *ID_NAMES, *(name for pair in TEXT_NAMES for name in pair)}
_BOM = b"\xef\xbb\xbf"
_LONGEST = 200  # characters of a cause in a message
POCKET_TEXTS = "quantities.jsonl"
COLUMNS = ("id", "text", "genre", "answer", "rationale")
CorpusKind = Literal["texts", "pairs", "parses"]


def find_text_reader(columns: Iterable[str]) -> Reader | None:
    """Find the way from a table with these columns to id, text, genre, answer and rationale."""
    names = set(columns)
    return next((reader for needed, reader in READERS if names >= needed), None)


def _extract_aqua_texts(table: pl.DataFrame) -> pl.DataFrame:
    """Read AQuA-RAT: the answer is the text of the right option."""
    right = pl.col("correct").str.strip_chars()
    option = pl.col("options").list.get(right.replace_strict(LETTERS, default=None), null_on_oob=True)
    answer = pl.when(option.str.extract(_OPTION, 1) == right).then(option.str.extract(_OPTION, 2))
    return table.select(
        _make_text_ids("aqua"),
        pl.col("question").alias("text"),
        pl.lit(GENRE).alias("genre"),
        answer.alias("answer"),
        pl.col("rationale"),
    )


def _extract_gsm8k_texts(table: pl.DataFrame) -> pl.DataFrame:
    """Read GSM8K: the answer stands behind the rationale."""
    whole = pl.col("answer").cast(pl.String)
    rationale = whole.str.replace(r"\s*####[^\n]*\s*$", "").str.replace_all(_SUM, "")
    return table.select(
        _make_text_ids("gsm8k"),
        pl.col("question").alias("text"),
        pl.lit(GENRE).alias("genre"),
        whole.str.extract(_RESULT).alias("answer"),
        rationale.alias("rationale"),
    )


def _extract_svamp_texts(table: pl.DataFrame) -> pl.DataFrame:
    """Read SVAMP: body and question in one text, a comma between where the body is half a sentence."""
    body, question = (pl.col(name).str.strip_chars() for name in ("Body", "Question"))
    between = pl.when(body.str.contains(r"[.!?,;:]$")).then(pl.lit(" ")).otherwise(pl.lit(", "))
    own = pl.col("ID").cast(pl.String) if "ID" in table.columns else _make_text_ids("svamp")
    return table.select(
        own.alias("id"),
        pl.concat_str(body, between, question).alias("text"),
        pl.lit(GENRE).alias("genre"),
        pl.col("Answer").cast(pl.String).str.replace(r"\.0$", "").alias("answer"),
        NOTHING.alias("rationale"),
    )


def _extract_plain_texts(table: pl.DataFrame) -> pl.DataFrame:
    """Read texts with what else of the columns is there."""
    wanted = ("id", "text", "genre", "answer", "rationale")
    there = [pl.col(name) if name in table.columns else NOTHING.alias(name) for name in wanted]
    typed = table.select(column.cast(pl.String) for column in there)
    return typed.with_columns(pl.coalesce("id", _make_text_ids("line")).alias("id"))


def _make_text_ids(kind: str) -> pl.Expr:
    return pl.concat_str(pl.lit(f"{kind}-"), pl.int_range(1, pl.len() + 1)).alias("id")


READERS: tuple[tuple[frozenset[str], Reader], ...] = (
    (frozenset({"question", "options", "rationale", "correct"}), _extract_aqua_texts),
    (frozenset({"question", "answer"}), _extract_gsm8k_texts),
    (frozenset({"Body", "Question", "Answer"}), _extract_svamp_texts),
    (frozenset({"text"}), _extract_plain_texts),
)


def read_text_table(source: CorpusSource) -> pl.DataFrame | None:
    """Return a table that a text reader can read, or None if the source holds pairs."""
    plain = None if source.is_on_hub else _read_without_header(source.path)
    if plain is not None:
        return plain
    table = source.table()
    columns = list(table.collect_schema())
    if pair_formats.find_column_layout(columns).fits(columns):
        return None
    if find_text_reader(columns) is None:
        _refuse_unusable_columns(str(source.path), columns)
    return collect_table(table, source.path)


def _refuse_unusable_columns(name: str, columns: list[str]) -> None:
    raise InputError(
        f"{name} has neither texts nor pairs in its columns {', '.join(columns[:12])}. "
        "Rename a column to text, or rename columns to premise, hypothesis and label."
    )


def _read_without_header(path: Path) -> pl.DataFrame | None:
    """Read a JSON list, or a text of which every line is one; None where it is another kind of table."""
    data = path.read_bytes().removeprefix(_BOM)
    start = data.lstrip()[:4]
    if start.startswith(b"["):
        return _read_json_list(path, data)
    if not start or start.startswith((b"{", b"PAR1")) or path.suffix.lower() in TABLES:
        return None
    header = data.partition(b"\n")[0].decode(errors="replace").strip()
    if any(_is_header(header.split(mark)) for mark in "\t,"):
        return None
    return _read_text_lines(path, data)


def _is_header(words: list[str]) -> bool:
    """Return whether words are column names rather than a sentence."""
    return find_text_reader(words) is not None or (len(words) > 1 and bool(USUAL & set(words)))


def _read_json_list(path: Path, data: bytes) -> pl.DataFrame:
    """Read a list of objects."""
    if lines.measure_nesting_depth(data) > lines.MAX_LEVELS:
        raise InputError(
            f"{path} is nested more than {lines.MAX_LEVELS} levels deep. Use a list of flat objects."
        )
    try:
        table = pl.DataFrame(
            json.loads(data, object_pairs_hook=lines.refuse_repeated_keys), infer_schema_length=None
        )
    except (ValueError, TypeError, OverflowError, RecursionError, pl.exceptions.PolarsError) as error:
        cause = str(error).splitlines()[0][:_LONGEST]
        raise InputError(
            f"{path} is not a complete JSON list of objects ({cause}). Correct the file."
        ) from error
    check_column_names(str(path), table.columns)
    if find_text_reader(table.columns) is None:
        _refuse_unusable_columns(str(path), table.columns)
    return table


def _read_text_lines(path: Path, data: bytes) -> pl.DataFrame:
    """Read every line that is not blank as a text, numbered as in an editor."""
    fault = lines.find_utf8_fault(data)
    if fault is not None:
        raise InputError(f"{path}, line {fault.line}: {fault.what}. {fault.advice}")
    texts = pl.Series("text", data.decode().removesuffix("\n").split("\n")).str.strip_chars_end("\r")
    numbers = _make_text_ids("line")
    return texts.to_frame().with_columns(numbers).filter(pl.col("text").str.strip_chars() != "")


@dataclass(frozen=True)
class Texts:
    """A table of texts (id, text, genre, answer, rationale), what was changed in it, and what it was read from."""

    table: pl.DataFrame
    remarks: tuple[str, ...] = ()
    sources: dict[str, str] = field(default_factory=dict)


@check_arguments(names=arguments.check_corpora_or_paths)
def read_texts(names: Names) -> Texts:
    """Read texts by name: pocket, hf:NAME[:CONFIG][:SPLIT], or a file of word problems, lines or pairs.

    Of pairs every different premise is taken once. Answers and rationales are there for word problems only.
    """
    whole = join_source_tables([_read_text_source(name) for name in list_corpus_names(names)])
    return Texts(whole.table, whole.remarks, whole.sources)


def _read_text_source(name: str) -> SourceTable:
    with open_source(name, POCKET_TEXTS) as source:
        table = read_text_table(source)
        reader = None if table is None else find_text_reader(table.columns)
        if table is None or reader is None:
            return SourceTable(source, *_list_premises(source))
        return SourceTable(source, *_clean_texts(_apply_reader(reader, table, source), source))


def _apply_reader(reader: Reader, table: pl.DataFrame, source: CorpusSource) -> pl.DataFrame:
    try:
        return reader(table)
    except pl.exceptions.PolarsError as error:
        cause = str(error).splitlines()[0]
        raise InputError(
            f"{source.describe_place(-1)} has columns of unexpected types ({cause}). Check the file."
        ) from error


def _list_premises(source: CorpusSource) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """List every distinct premise once, under its first id in sort order."""
    pairs, remarks = read_source_pairs(source)
    rows = pairs.select("id", "premise", "genre").with_row_index("row")
    first = rows.sort("id").unique("premise", keep="first", maintain_order=True)
    named = first.sort("row").rename({"premise": "text"}).with_columns(answer=NOTHING, rationale=NOTHING)
    return named.select(COLUMNS), remarks


def _clean_texts(texts: pl.DataFrame, source: CorpusSource) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Drop blank texts, make ids unique, and report both."""
    whole = texts.filter(pl.col("text").str.strip_chars() != "")
    if whole.is_empty():
        raise InputError(f"{source.describe_place(-1)} has no text. Add at least one.")
    blank = texts.height - whole.height
    unique, repeated = make_ids_unique(whole)
    remarks = [f"{blank} of {texts.height} texts are blank and were left out."] if blank else []
    lost = int(unique.select((pl.col("genre") == GENRE) & pl.col("answer").is_null()).to_series().sum())
    remarks += [f"{lost} of {unique.height} problems have no recognisable answer."] if lost else []
    return unique.select(COLUMNS), (*remarks, *repeated)


def detect_corpus_kind(name: str) -> CorpusKind:
    """Look at the columns of a corpus; the pocket corpus counts as pairs here."""
    with open_source(name, POCKET_PAIRS) as source:
        if read_text_table(source) is not None:
            return "texts"
        table = source.table()
        layout = pair_formats.find_column_layout(list(table.collect_schema()))
        columns, _ = layout.convert_from_file(table, source.path)
        return "parses" if set(PARSE_COLUMNS) & set(columns.collect_schema()) else "pairs"
