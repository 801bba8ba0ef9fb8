"""Files of word vectors: text as GloVe and word2vec write it, arrays with their words beside, our compact file.

Each reader gives words and their rows. It may be told which words are wanted, so that a large file is read in
seconds: the other rows are counted and skipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rightreasons.core.errors import InputError, counted
from rightreasons.io.compression import BROKEN, check_arrays
from rightreasons.io.outputs import replacing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

_BLOCK = 4096  # rows whose numbers are read at a time
# What numpy raises; a type error comes from a single array under the name of a compact file.
_BROKEN = (*BROKEN, KeyError, TypeError, MemoryError)
_MARK = b"\xef\xbb\xbf"  # that a file of UTF-8 may begin with
_PACKED = {b"PK\x03\x04": "zip", b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz"}


class Rows(NamedTuple):
    """Words with their vectors, row by row, and how many words the file has in all."""

    words: list[str]
    table: NDArray[np.float32]  # (words, width)
    held: int


class Wanted(NamedTuple):
    """Which words of a file are wanted: some, the first so many, or both; all where nothing is said."""

    only: Collection[str] | None = None
    first: int = 0

    def takes(self, word: str, number: int) -> bool:
        """Tell whether a word is wanted, which is the file's n-th."""
        return self.only is None or number < self.first or word in self.only


def read_rows(path: Path, wanted: Wanted) -> Rows:
    """Read word vectors from a file of any of the known kinds."""
    if path.is_dir() or not path.is_file():
        raise InputError(f"There is no file of word vectors {path}. Check the path.")
    if path.suffix == ".npz":
        return _read_compact(path, wanted)
    if path.suffix == ".npy":
        return _read_array(path, wanted)
    return _read_text(path, wanted)


def write_compact(
    path: Path, words: Sequence[str], table: NDArray[np.floating], *, force: bool = False
) -> None:
    """Write word vectors as one file of half precision, which is read in a second."""
    _check_words(words, len(table), path)
    joined = np.frombuffer("\n".join(words).encode(), dtype=np.uint8)
    with replacing(path, force=force) as part, part.open("wb") as file:
        np.savez(file, words=joined, table=table.astype(np.float16))


def _read_compact(path: Path, wanted: Wanted) -> Rows:
    try:
        check_arrays(path)
        with np.load(path, allow_pickle=False) as file:
            words, table = file["words"].tobytes().decode(), file["table"]
    except _BROKEN as error:
        raise InputError(
            f"{path} is no whole file of word vectors ({error}). Make it again with scripts/convert_vectors.py."
        ) from error
    return _chosen(path, words.split("\n"), table, wanted)


def _read_array(path: Path, wanted: Wanted) -> Rows:
    beside = path.with_suffix(".words.txt")
    if not beside.is_file():
        raise InputError(f"The vectors in {path} have no words: there is no {beside.name}, one word a line.")
    try:
        table = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(f"{path} is no whole array ({error}). Save it again with numpy.save.") from error
    try:
        words = beside.read_text(encoding="utf-8-sig").removesuffix("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{beside} is no text in UTF-8 ({error}). Save it again.") from error
    return _chosen(path, words.split("\n"), table, wanted)


def _chosen(path: Path, words: list[str], table: NDArray[np.floating], wanted: Wanted) -> Rows:
    """Take the wanted rows of a table."""
    if table.ndim != 2 or table.dtype.kind != "f" or not table.shape[1]:  # noqa: PLR2004 - words and numbers
        raise InputError(
            f"{path} holds an array of shape {table.shape} and type {table.dtype}, no table of vectors. "
            "Save one row of numbers for each word."
        )
    _check_words(words, len(table), path)
    taken = [number for number, word in enumerate(words) if wanted.takes(word, number)]
    with np.errstate(over="ignore"):  # what is too large is refused below
        some = np.asarray(table[taken], dtype=np.float32)
    bad = np.flatnonzero(~np.isfinite(some).all(axis=1))
    if len(bad):
        raise InputError(
            f"The vector of {words[taken[bad[0]]]!r} in {path} has a number that is none. Mend the file."
        )
    return Rows([words[number] for number in taken], some, len(words))


def _check_words(words: Sequence[str], rows: int, path: Path) -> None:
    if len(words) != rows:
        raise InputError(
            f"{path} has {counted(rows, 'vector')} for {counted(len(words), 'word')}. Save it again."
        )
    if any("\n" in word for word in words):
        raise InputError(f"A word of {path} has a line break in it. Leave it out.")


def _read_text(path: Path, wanted: Wanted) -> Rows:
    """Read lines of a word and its numbers; the first line may say how many words and numbers there are."""
    words: list[str] = []
    blocks: list[NDArray[np.float32]] = []
    numbers: list[bytes] = []
    lines: list[int] = []
    held = 0
    for line, word, row in _text_lines(path):
        held += 1
        if not wanted.takes(word, held - 1):
            continue
        words.append(word)
        numbers.append(row)
        lines.append(line)
        if len(numbers) == _BLOCK:
            blocks.append(_numbers(path, numbers, lines))
            numbers, lines = [], []
    said, width = _width_of(path)
    if not held:
        raise InputError(f"{path} is empty, so it has no word vectors. Check the path.")
    if said is not None and held < said:
        raise InputError(
            f"{path} has {counted(held, 'word')}, and its first line says {said:,}. It may be cut: fetch it again."
        )
    if numbers:
        blocks.append(_numbers(path, numbers, lines))
    return Rows(words, np.concatenate([*blocks, np.empty((0, width), dtype=np.float32)]), held)


def _text_lines(path: Path) -> Iterator[tuple[int, str, bytes]]:
    """Give the number, the word and the numbers of each line; words may have spaces, so it is cut from the right."""
    said, width = _width_of(path)
    with path.open("rb") as file:
        for number, text in enumerate(file, 1):
            if number == 1 and said is not None:
                continue
            line = text.rstrip()
            if number == 1:
                line = line.removeprefix(_MARK)
            spaces = line.count(b" ")
            word, _, row = line.partition(b" ")
            if spaces != width:
                word, row = _cut(path, line, number, width)
            yield number, word.decode("utf-8", "replace"), row


def _cut(path: Path, line: bytes, number: int, width: int) -> tuple[bytes, bytes]:
    """Cut a line whose word has spaces in it; a line that is too short or too long is refused."""
    fields = line.split(b" ")
    word = fields[:-width]
    if not word or any(map(_is_number, word[1:])):
        found = sum(map(_is_number, fields[1:]))
        raise InputError(
            f"{path}, line {number}: the vector of {fields[0].decode('utf-8', 'replace')!r} has "
            f"{counted(found, 'number')}, those before it have {width}. The file may be cut: fetch it again."
        )
    return b" ".join(word), b" ".join(fields[-width:])


def _width_of(path: Path) -> tuple[int | None, int]:
    """Look at the first line: how many words there are, where it says so, and how many numbers a vector has."""
    with path.open("rb") as file:
        first = file.readline(1 << 20).removeprefix(_MARK)
    for magic, kind in _PACKED.items():
        if first.startswith(magic):
            raise InputError(f"{path} is packed ({kind}). Unpack it and name the file of vectors in it.")
    fields = first.split()
    if len(fields) == 2 and all(field.isdigit() for field in fields):  # noqa: PLR2004 - words and numbers
        return int(fields[0]), int(fields[1])
    width = next((at for at, field in enumerate(reversed(fields)) if not _is_number(field)), len(fields) - 1)
    if first and width < 1:
        raise InputError(
            f"{path} holds no word vectors: its first line is no word with numbers. Check the path."
        )
    if b"\t" in first or b"  " in first:
        raise InputError(
            f"{path} has tabs or double spaces in its first line. Put one space before each number."
        )
    return None, width


def _is_number(field: bytes) -> bool:
    if b"_" in field:  # Python alone reads 1_000
        return False
    try:
        float(field)
    except ValueError:
        return False
    return True


def _numbers(path: Path, rows: list[bytes], lines: list[int]) -> NDArray[np.float32]:
    """Read the numbers of some lines at once; only where that fails is each looked at."""
    columns = dict.fromkeys([str(place) for place in range(rows[0].count(b" ") + 1)], pl.Float32)
    try:
        read = pl.read_csv(b"\n".join(rows), separator=" ", has_header=False, quote_char=None, schema=columns)
        table = read.to_numpy()
        whole = np.isfinite(table).all(axis=1)
    except pl.exceptions.ComputeError:
        table = np.empty((0, len(columns)), dtype=np.float32)
        whole = np.array([all(map(_is_number, row.split(b" "))) for row in rows])
        whole[0] &= not whole.all()  # some row is wrong, though each looks right
    if not whole.all():
        line = lines[int(np.argmin(whole))]
        raise InputError(
            f"{path}, line {line}: a value of the vector is no finite number. Mend the line, or fetch it again."
        )
    return np.ascontiguousarray(table, dtype=np.float32)
