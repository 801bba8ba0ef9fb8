"""The dict files of WordNet 3.0, and what of them goes into an index.

An index has three lists of lines: synsets (key, lexicographer file, lemmas, pointers, gloss), lemmas with the row
numbers of their synsets in WordNet's order, and irregular forms.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError
from rightreasons.language.wordnet_index import Index

if TYPE_CHECKING:
    from collections.abc import Iterator

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
VARIABLE = "RIGHTREASONS_WORDNET"
_MARKER = re.compile(r"\((?:a|p|ip)\)$")  # where an adjective may stand
_KEPT = {"!": "antonym", "&": "similar", "@i": "instance"}
_HELP = (
    "The package has WordNet 3.0 inside; for files of your own name the folder of WordNet's dict files by the "
    f"variable {VARIABLE}, or by -o wordnet=FOLDER where the set has this option."
)


def find_folder(folder: str | os.PathLike[str] | None = None) -> Path | None:
    """Give the folder of the user's own dict files: the one named, else that of the variable, else none."""
    named = (os.environ.get(VARIABLE) or None) if folder is None else folder
    return None if named is None else _checked(Path(named))


def _checked(folder: Path) -> Path:
    for name in _names():
        if not (folder / name).is_file():
            raise InputError(f"{folder} is no folder of WordNet's dict files: it has no {name}. {_HELP}")
    return folder


def _names() -> list[str]:
    return [name for part in PARTS.values() for name in (f"data.{part}", f"index.{part}", f"{part}.exc")]


def compiled(folder: Path) -> Index:
    """Read all dict files and make an index."""
    try:
        records = {part: list(_records(folder, part)) for part in PARTS}
        keys = [(part, fields[0]) for part, found in records.items() for fields, _ in found]
        number = {key: row for row, key in enumerate(keys)}
        words = {(part, fields[0]): _words(fields) for part, found in records.items() for fields, _ in found}
        synsets = [_synset(*record, words, number) for found in records.values() for record in found]
        lemmas, irregular = _lemmas(folder, number), _irregular(folder)
    except (ValueError, IndexError, KeyError) as error:
        raise InputError(
            f"The dict files in {folder} are not those of WordNet ({error!r}). {_HELP}"
        ) from error
    return Index(synsets, lemmas, irregular)


def _lines(path: Path) -> list[str]:
    """Read the lines of a dict file, without the licence, whose lines begin with two spaces."""
    text = path.read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("  ")]


def _records(folder: Path, part: str) -> Iterator[tuple[list[str], str]]:
    for line in _lines(folder / f"data.{PARTS[part]}"):
        fields, _, gloss = line.partition("|")
        yield fields.split(), gloss.strip()


def _words(fields: list[str]) -> list[str]:
    count = int(fields[3], 16)
    return [_MARKER.sub("", word) for word in fields[4 : 4 + 2 * count : 2]]


def _synset(
    fields: list[str],
    gloss: str,
    words: dict[tuple[str, str], list[str]],
    number: dict[tuple[str, str], int],
) -> str:
    """Write one synset: its pointers name lemmas and line numbers, so that reading needs no second look."""
    offset, lexfile, kind = fields[:3]
    own = words[_part(kind), offset]
    at = 4 + 2 * len(own)
    pointers = [fields[i : i + 4] for i in range(at + 1, at + 1 + 4 * int(fields[at]), 4)]
    shown = [_pointer(pointer, own, words, number) for pointer in pointers if pointer[0] in _KEPT]
    return "\t".join([f"{offset}-{kind}", lexfile, " ".join(own), " ".join(shown), gloss])


def _pointer(
    pointer: list[str],
    own: list[str],
    words: dict[tuple[str, str], list[str]],
    number: dict[tuple[str, str], int],
) -> str:
    symbol, offset, kind, ends = pointer
    target = (_part(kind), offset)
    if symbol != "!":
        return f"{symbol}|{number[target]}"
    source, goal = bytes.fromhex(ends)
    return f"!|{number[target]}|{own[source - 1]}|{words[target][goal - 1]}"


def _part(kind: str) -> str:
    return "a" if kind == "s" else kind


def _lemmas(folder: Path, number: dict[tuple[str, str], int]) -> list[str]:
    found: dict[str, list[str]] = {}
    for part, name in PARTS.items():
        for line in _lines(folder / f"index.{name}"):
            fields = line.split()
            offsets = fields[-int(fields[2]) :]
            rows = " ".join(str(number[part, offset]) for offset in offsets)
            found.setdefault(fields[0], []).append(f"{part} {rows}")
    return sorted("\t".join([lemma, *senses]) for lemma, senses in found.items())


def _irregular(folder: Path) -> list[str]:
    lines = [(part, line.split()) for part in PARTS for line in _lines(folder / f"{PARTS[part]}.exc")]
    return ["\t".join([part, form, *lemmas]) for part, (form, *lemmas) in lines]
