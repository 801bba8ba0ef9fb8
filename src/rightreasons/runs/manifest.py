"""The seal of a run: digests of the files that its figures rest on, so that a changed or missing one is noticed."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError
from rightreasons.core.shapes import read_json
from rightreasons.runs import run_shapes

if TYPE_CHECKING:
    from pathlib import Path

SEAL = "seal.json"
_PAGES = (".md", ".html")  # made from the other files, and made anew at will


def seal(folder: Path) -> None:
    """Write the digests of all files of a run but its pages."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix not in _PAGES)
    digests = {path.relative_to(folder).as_posix(): _digest(path) for path in files if path.name != SEAL}
    (folder / SEAL).write_text(json.dumps(digests, indent=2) + "\n", encoding="utf-8")


def has_seal(folder: Path) -> bool:
    """Tell whether a run was sealed."""
    return (folder / SEAL).exists()


def check_seal(folder: Path) -> None:
    """Refuse a run of which a file is missing or was changed; one without a seal is of an older version."""
    if not has_seal(folder):
        return
    digests = read_json(folder / SEAL, run_shapes.SEAL, "Evaluate again.")
    for name, digest in digests.items():
        path = folder / name
        if not path.is_file():
            raise InputError(f"The run {str(folder)!r} lacks {name}. Evaluate again to get a whole one.")
        if _digest(path) != digest:
            raise InputError(
                f"The file {name} of the run {str(folder)!r} was changed after the run was made, so its figures "
                "can't be trusted. Put the old file back, or evaluate again."
            )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
