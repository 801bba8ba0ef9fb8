"""The compact index of WordNet 3.0: read from the file in the package, or compiled from WordNet's dict files.

An index has three lists of lines: synsets (key, lexicographer file, lemmas, pointers, gloss), lemmas with the row
numbers of their synsets in WordNet's order, and irregular forms. The file is a zip archive whose parts are unpacked
when they are needed. Synsets are packed some thousands together: small enough that one is quick to reach, large enough
to pack well.
"""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, overload

from rightreasons.core.errors import InputError
from rightreasons.core.resources import DATA_FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = DATA_FOLDER / "language" / "wordnet.zip"
BLOCK = 8192  # synsets
PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
VARIABLE = "RIGHTREASONS_WORDNET"
_MARKER = re.compile(r"\((?:a|p|ip)\)$")  # where an adjective may stand
_KEPT = {"!": "antonym", "&": "similar", "@i": "instance"}
_HELP = (
    "The package includes WordNet 3.0. To use other WordNet database files, "
    f"set the variable {VARIABLE} to their folder, or use -o wordnet=FOLDER where the set has this option."
)


class Index(NamedTuple):
    """What WordNet says, line by line: see wordnet_files."""

    synsets: Sequence[str]
    lemmas: Sequence[str]  # sorted
    irregular: Sequence[str]


class _SynsetLines(Sequence[str]):
    """The lines of all synsets; a block is unpacked once, when one of its lines is requested."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._size = int(archive.read("size"))
        self._blocks: dict[int, list[str]] = {}

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[row] for row in range(*at.indices(self._size))]
        number, row = divmod(range(self._size)[at], BLOCK)
        block = self._blocks.get(number)
        if block is None:
            block = self._blocks[number] = _read_index_lines(self._archive, _format_block_name(number))
        return block[row]


def load_shipped_index() -> Index:
    """Open the index inside the package."""
    # From memory: no file stays open, and processes that fork share no place in one.
    archive = zipfile.ZipFile(io.BytesIO(FILE.read_bytes()))
    return Index(
        _SynsetLines(archive), _read_index_lines(archive, "lemmas"), _read_index_lines(archive, "irregular")
    )


def pack_index(index: Index, path: Path) -> None:
    """Write an index to a file; the same index gives the same bytes."""
    synsets = index.synsets
    blocks = [synsets[start : start + BLOCK] for start in range(0, len(synsets), BLOCK)]
    parts = {"size": [str(len(synsets))], "lemmas": index.lemmas, "irregular": index.irregular}
    parts |= {_format_block_name(number): block for number, block in enumerate(blocks)}
    with zipfile.ZipFile(path, "w") as archive:
        for name, lines in parts.items():
            # A name alone has the time 1980-01-01, not that of writing.
            archive.writestr(zipfile.ZipInfo(name), "\n".join(lines), zipfile.ZIP_LZMA)


def _format_block_name(number: int) -> str:
    return f"synsets/{number:02}"


def _read_index_lines(archive: zipfile.ZipFile, name: str) -> list[str]:
    return archive.read(name).decode("utf-8").split("\n")


def find_dict_folder(folder: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the folder of the user's own dict files: the argument, else the environment variable, else None."""
    named = (os.environ.get(VARIABLE) or None) if folder is None else folder
    return None if named is None else _check_dict_folder(Path(named))


def _check_dict_folder(folder: Path) -> Path:
    for name in _list_dict_file_names():
        if not (folder / name).is_file():
            raise InputError(
                f"{folder} is not a folder of WordNet database files: the file {name} is missing. {_HELP}"
            )
    return folder


def _list_dict_file_names() -> list[str]:
    return [name for part in PARTS.values() for name in (f"data.{part}", f"index.{part}", f"{part}.exc")]


def compile_index(folder: Path) -> Index:
    """Read all dict files and make an index."""
    try:
        records = {part: list(_iterate_synset_records(folder, part)) for part in PARTS}
        keys = [(part, fields[0]) for part, part_records in records.items() for fields, _ in part_records]
        number = {key: row for row, key in enumerate(keys)}
        words = {
            (part, fields[0]): _read_lemmas(fields)
            for part, part_records in records.items()
            for fields, _ in part_records
        }
        synsets = [
            _build_synset_line(*record, words, number)
            for part_records in records.values()
            for record in part_records
        ]
        lemmas, irregular = _list_lemma_lines(folder, number), _list_irregular_lines(folder)
    except (ValueError, IndexError, KeyError) as error:
        raise InputError(
            f"The folder {folder} has invalid WordNet database files ({error!r}). {_HELP}"
        ) from error
    return Index(synsets, lemmas, irregular)


def _read_dict_lines(path: Path) -> list[str]:
    """Read the lines of a dict file, without the licence, whose lines begin with two spaces."""
    text = path.read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("  ")]


def _iterate_synset_records(folder: Path, part: str) -> Iterator[tuple[list[str], str]]:
    for line in _read_dict_lines(folder / f"data.{PARTS[part]}"):
        fields, _, gloss = line.partition("|")
        yield fields.split(), gloss.strip()


def _read_lemmas(fields: list[str]) -> list[str]:
    count = int(fields[3], 16)
    return [_MARKER.sub("", word) for word in fields[4 : 4 + 2 * count : 2]]


def _build_synset_line(
    fields: list[str],
    gloss: str,
    words: dict[tuple[str, str], list[str]],
    number: dict[tuple[str, str], int],
) -> str:
    """Write one synset: its pointers name lemmas and line numbers, so that reading needs no second look."""
    offset, lexfile, kind = fields[:3]
    own = words[_convert_satellite_pos(kind), offset]
    at = 4 + 2 * len(own)
    pointers = [fields[i : i + 4] for i in range(at + 1, at + 1 + 4 * int(fields[at]), 4)]
    pointer_texts = [
        _build_pointer(pointer, own, words, number) for pointer in pointers if pointer[0] in _KEPT
    ]
    return "\t".join([f"{offset}-{kind}", lexfile, " ".join(own), " ".join(pointer_texts), gloss])


def _build_pointer(
    pointer: list[str],
    own: list[str],
    words: dict[tuple[str, str], list[str]],
    number: dict[tuple[str, str], int],
) -> str:
    symbol, offset, kind, ends = pointer
    target = (_convert_satellite_pos(kind), offset)
    if symbol != "!":
        return f"{symbol}|{number[target]}"
    source, goal = bytes.fromhex(ends)
    return f"!|{number[target]}|{own[source - 1]}|{words[target][goal - 1]}"


def _convert_satellite_pos(kind: str) -> str:
    return "a" if kind == "s" else kind


def _list_lemma_lines(folder: Path, number: dict[tuple[str, str], int]) -> list[str]:
    entries: dict[str, list[str]] = {}
    for part, name in PARTS.items():
        for line in _read_dict_lines(folder / f"index.{name}"):
            fields = line.split()
            offsets = fields[-int(fields[2]) :]
            rows = " ".join(str(number[part, offset]) for offset in offsets)
            entries.setdefault(fields[0], []).append(f"{part} {rows}")
    return sorted("\t".join([lemma, *senses]) for lemma, senses in entries.items())


def _list_irregular_lines(folder: Path) -> list[str]:
    lines = [
        (part, line.split()) for part in PARTS for line in _read_dict_lines(folder / f"{PARTS[part]}.exc")
    ]
    return ["\t".join([part, form, *lemmas]) for part, (form, *lemmas) in lines]
