"""Files of pairs on the command line, read no further than a command needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rightreasons.commands import arguments

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rightreasons.core.pairs import ChallengeSet


def read_columns(
    name: str, columns: Iterable[str], *, if_there: Iterable[str] = (), labelled: bool = True
) -> ChallengeSet | None:
    """Read some columns of a file of pairs or of a pipe, and say what its card remarks on; else give None."""
    from rightreasons.core.progress import progress
    from rightreasons.corpora import read_pairs
    from rightreasons.evaluation.sets import is_pairs_file
    from rightreasons.io.spooling import is_pipe

    if not is_pairs_file(name) and not is_pipe(Path(name)):
        return None
    with progress(label=f"reading {name}"):
        made = read_pairs(name, columns=columns, if_there=if_there, labelled=labelled)
    arguments.say_remarks(made.card.remarks)
    return made
