"""Files of word vectors: text files of GloVe and word2vec, arrays with a file of words, and a compact format.

Each reader returns words and their vectors. If only some words are wanted, the other rows are counted and skipped, so
that a large file is read in seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rightreasons.core.errors import InputError, format_count
from rightreasons.io.inputs import UNPACK_ERRORS, check_unpacked_array_size
from rightreasons.io.outputs import write_atomically

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

_BLOCK_ROWS = 4096  # rows whose numbers are read at a time
# What numpy raises; a type error comes from a single array in a file named like a compact one.
_READ_ERRORS = (*UNPACK_ERRORS, KeyError, TypeError, MemoryError)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_COMPRESSED_STARTS = {b"PK\x03\x04": "zip", b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz"}


class VectorRows(NamedTuple):
    """Words with their vectors, and the number of words in the file."""

    words: list[str]
    table: NDArray[np.float32]  # (words, width)
    num_in_file: int


class WantedWords(NamedTuple):
    """The words to read from a file: some, the first ones, or both; all by default."""

    only: Collection[str] | None = None
    first: int = 0

    def includes(self, word: str, number: int) -> bool:
        """Return whether the word with this number in the file is wanted."""
        return self.only is None or number < self.first or word in self.only


def read_vector_rows(path: Path, wanted: WantedWords) -> VectorRows:
    """Read word vectors from a file of any known format."""
    if path.is_dir() or not path.is_file():
        raise InputError(f"There is no file {path} with word vectors. Check the path.")
    if path.suffix == ".npz":
        return _read_compact_file(path, wanted)
    if path.suffix == ".npy":
        return _read_array_file(path, wanted)
    return _read_text_file(path, wanted)


def write_compact_vectors(
    path: Path, words: Sequence[str], table: NDArray[np.floating], *, force: bool = False
) -> None:
    """Write word vectors in half precision to one file, which is read in a second."""
    _check_vector_words(words, len(table), path)
    joined = np.frombuffer("\n".join(words).encode(), dtype=np.uint8)
    with write_atomically(path, force=force) as part, part.open("wb") as file:
        np.savez(file, words=joined, table=table.astype(np.float16))


def _read_compact_file(path: Path, wanted: WantedWords) -> VectorRows:
    try:
        check_unpacked_array_size(path)
        with np.load(path, allow_pickle=False) as file:
            words, table = file["words"].tobytes().decode(), file["table"]
    except _READ_ERRORS as error:
        raise InputError(
            f"{path} is not a complete file of word vectors ({error}). Create it again with scripts/convert_vectors.py."
        ) from error
    return _select_wanted_rows(path, words.split("\n"), table, wanted)


def _read_array_file(path: Path, wanted: WantedWords) -> VectorRows:
    words_file = path.with_suffix(".words.txt")
    if not words_file.is_file():
        raise InputError(
            f"The vectors in {path} have no words. Create {words_file.name} with one word per line."
        )
    try:
        table = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(
            f"{path} is not a complete array ({error}). Save it again with numpy.save."
        ) from error
    try:
        words = words_file.read_text(encoding="utf-8-sig").removesuffix("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{words_file} is not UTF-8 text ({error}). Save it again.") from error
    return _select_wanted_rows(path, words.split("\n"), table, wanted)


def _select_wanted_rows(
    path: Path, words: list[str], table: NDArray[np.floating], wanted: WantedWords
) -> VectorRows:
    """Select the wanted rows of a table."""
    if table.ndim != 2 or table.dtype.kind != "f" or not table.shape[1]:  # noqa: PLR2004 - words and numbers
        raise InputError(
            f"{path} contains an array of shape {table.shape} and type {table.dtype}, not a table of vectors. "
            "Save one row of numbers for each word."
        )
    _check_vector_words(words, len(table), path)
    numbers = [number for number, word in enumerate(words) if wanted.includes(word, number)]
    with np.errstate(over="ignore"):  # what is too large is refused below
        vectors = np.asarray(table[numbers], dtype=np.float32)
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise InputError(
            f"The vector of {words[numbers[bad[0]]]!r} in {path} has a value that is not finite. Correct the file."
        )
    return VectorRows([words[number] for number in numbers], vectors, len(words))


def _check_vector_words(words: Sequence[str], rows: int, path: Path) -> None:
    if len(words) != rows:
        raise InputError(
            f"{path} has {format_count(rows, 'vector')} for {format_count(len(words), 'word')}. Save it again."
        )
    if any("\n" in word for word in words):
        raise InputError(f"A word in {path} contains a line break. Remove the word.")


def _read_text_file(path: Path, wanted: WantedWords) -> VectorRows:
    """Read lines of a word and its values; the first line may be a header with the number of words and the width."""
    words: list[str] = []
    blocks: list[NDArray[np.float32]] = []
    numbers: list[bytes] = []
    lines: list[int] = []
    held = 0
    for line, word, row in _read_vector_lines(path):
        held += 1
        if not wanted.includes(word, held - 1):
            continue
        words.append(word)
        numbers.append(row)
        lines.append(line)
        if len(numbers) == _BLOCK_ROWS:
            blocks.append(_parse_vector_values(path, numbers, lines))
            numbers, lines = [], []
    announced, width = _read_count_and_width(path)
    if not held:
        raise InputError(f"{path} is empty. Check the path.")
    if announced is not None and held < announced:
        raise InputError(
            f"{path} has {format_count(held, 'word')}, but its first line announces {announced:,}. "
            "It may be truncated: download it again."
        )
    if numbers:
        blocks.append(_parse_vector_values(path, numbers, lines))
    return VectorRows(words, np.concatenate([*blocks, np.empty((0, width), dtype=np.float32)]), held)


def _read_vector_lines(path: Path) -> Iterator[tuple[int, str, bytes]]:
    """Yield the line number, the word and the values of each line; words may contain spaces."""
    announced, width = _read_count_and_width(path)
    with path.open("rb") as file:
        for number, text in enumerate(file, 1):
            if number == 1 and announced is not None:
                continue
            line = text.rstrip()
            if number == 1:
                line = line.removeprefix(_BYTE_ORDER_MARK)
            spaces = line.count(b" ")
            word, _, row = line.partition(b" ")
            if spaces != width:
                word, row = _split_vector_line(path, line, number, width)
            yield number, word.decode("utf-8", "replace"), row


def _split_vector_line(path: Path, line: bytes, number: int, width: int) -> tuple[bytes, bytes]:
    """Split a line whose word contains spaces; a line that is too short or too long is refused."""
    fields = line.split(b" ")
    word = fields[:-width]
    if not word or any(map(_is_number_field, word[1:])):
        values = sum(map(_is_number_field, fields[1:]))
        raise InputError(
            f"{path}, line {number}: the vector of {fields[0].decode('utf-8', 'replace')!r} has "
            f"{format_count(values, 'value')}, but earlier vectors have {width}. "
            "The file may be truncated: download it again."
        )
    return b" ".join(word), b" ".join(fields[-width:])


def _read_count_and_width(path: Path) -> tuple[int | None, int]:
    """Read from the first line the number of words, if it is a header, and the width of the vectors."""
    with path.open("rb") as file:
        first = file.readline(1 << 20).removeprefix(_BYTE_ORDER_MARK)
    for magic, kind in _COMPRESSED_STARTS.items():
        if first.startswith(magic):
            raise InputError(
                f"{path} is compressed ({kind}). Decompress it, and use the file with the vectors."
            )
    fields = first.split()
    if len(fields) == 2 and all(field.isdigit() for field in fields):  # noqa: PLR2004 - words and numbers
        return int(fields[0]), int(fields[1])
    width = next(
        (at for at, field in enumerate(reversed(fields)) if not _is_number_field(field)), len(fields) - 1
    )
    if first and width < 1:
        raise InputError(
            f"{path} contains no word vectors: its first line is not a word followed by numbers. Check the path."
        )
    if b"\t" in first or b"  " in first:
        raise InputError(
            f"{path} has tabs or double spaces in its first line. Put one space before each number."
        )
    return None, width


def _is_number_field(field: bytes) -> bool:
    if b"_" in field:  # Python alone reads 1_000
        return False
    try:
        float(field)
    except ValueError:
        return False
    return True


def _parse_vector_values(path: Path, rows: list[bytes], lines: list[int]) -> NDArray[np.float32]:
    """Parse the values of some lines at once; only if that fails, each is checked."""
    columns = dict.fromkeys([str(place) for place in range(rows[0].count(b" ") + 1)], pl.Float32)
    try:
        read = pl.read_csv(b"\n".join(rows), separator=" ", has_header=False, quote_char=None, schema=columns)
        table = read.to_numpy()
        whole = np.isfinite(table).all(axis=1)
    except pl.exceptions.ComputeError:
        table = np.empty((0, len(columns)), dtype=np.float32)
        whole = np.array([all(map(_is_number_field, row.split(b" "))) for row in rows])
        whole[0] &= not whole.all()  # some row is wrong although each looks right
    if not whole.all():
        line = lines[int(np.argmin(whole))]
        raise InputError(
            f"{path}, line {line}: a value of the vector is not finite. Correct the line, or download it again."
        )
    return np.ascontiguousarray(table, dtype=np.float32)
