"""Corpora by the role they play in an experiment, such as mnli-train: given by the user, or fetched before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.pairs import ChallengeSet
from rightreasons.corpora import read_corpus
from rightreasons.corpora.corpus_source import find_cached, hash_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True)
class Role:
    """What plays a role: the corpus of the papers, its name once fetched, and how many pairs it has."""

    about: str
    fetched: str = ""
    pairs: int | None = None
    of: str = ""  # the role whose file it is a part of
    only: tuple[tuple[str, tuple[str, ...]], ...] = ()  # the tags that tell that part, and their values
    chosen_by: str = ""  # the role whose pairs weights are chosen by; a slice of its own pairs if left out


ROLES = {
    "mnli-train": Role("MultiNLI train", "multinli/train", 392_702),
    "mnli-dev-matched": Role("MultiNLI dev, matched", "multinli/dev_matched", 9_815),
    "mnli-dev-mismatched": Role("MultiNLI dev, mismatched", "multinli/dev_mismatched", 9_832),
    "parsed-train": Role("MultiNLI train with parses", "multinli/train", 392_702),
    "parsed-dev-matched": Role("MultiNLI dev, matched, with parses", "multinli/dev_matched", 9_815),
    "snli-train": Role("SNLI train", "snli/train", 549_367),
    "snli-dev": Role("SNLI dev", "snli/dev", 9_842),
    "snli-test": Role("SNLI test", "snli/test", 9_824),
    "sick": Role("SICK with its expansion rules", "sick/annotated", 9_840),
    "sick-train": Role(
        "the train part of SICK", of="sick", only=(("SemEval_set", ("TRAIN",)),), chosen_by="sick-trial"
    ),
    "sick-trial": Role("the trial part of SICK", of="sick", only=(("SemEval_set", ("TRIAL",)),)),
    "sick-test": Role("the test part of SICK", of="sick", only=(("SemEval_set", ("TEST",)),)),
    "sick-outside-test": Role(
        "the train and trial parts of SICK",
        of="sick",
        only=(("SemEval_set", ("TRAIN", "TRIAL")),),
        chosen_by="sick-without-rules",
    ),
    "sick-without-rules": Role(
        "those pairs of SICK's trial part that no rule made",
        of="sick",
        only=(
            ("SemEval_set", ("TRIAL",)),
            ("pair_type", ("S1S1_inter", "S1S2_inter", "S1S3_inter", "S1S4_inter")),
        ),
    ),
    "hans-eval": Role("the HANS evaluation set", "hans/eval", 30_000),
    "word-problems": Role("AQuA-RAT train", "aqua/train"),
    "stress-numerical": Role("the released numerical stress test"),
    "words": Role("running text for a language model, WikiText-103 in the paper"),
    "tagged": Role("tagged sentences, CCGbank in the paper"),
    "captions": Role("captions of images with features, COCO in the paper"),
}


def role(name: str) -> Role:
    """Find a role by its name."""
    if name not in ROLES:
        raise UnknownNameError("corpus role", name, ROLES)
    return ROLES[name]


class ExperimentCorpora:
    """The corpora that an experiment can use."""

    def __init__(self, given: Mapping[str, Sequence[str]]) -> None:
        """Take the files that the user named for roles; other roles are looked for among what was fetched."""
        for name in given:
            if role(name).of:
                raise InputError(
                    f"The role {name!r} is a part of {role(name).of!r}. Give the file of that one."
                )
        self.given = {name: [str(file) for file in files] for name, files in given.items()}

    def check(self, needed: Iterable[str]) -> None:
        """Refuse to begin while a corpus is missing; all that are missing are named at once."""
        missing = [
            name for name in dict.fromkeys(role(one).of or one for one in needed) if not self.has(name)
        ]
        if missing:
            told = "; ".join(f"{name} ({role(name).about})" for name in missing)
            archives = dict.fromkeys(role(name).fetched.partition("/")[0] for name in missing)
            fetch = " and ".join(f"rightreasons fetch {name}" for name in archives if name)
            give = " ".join(f"--corpus {name}=FILE" for name in missing)
            raise InputError(
                f"The experiment needs corpora that are not here: {told}. "
                f"Give {give}{f', or run {fetch}' if fetch else ''}."
            )

    def has(self, name: str) -> bool:
        """Tell whether a role is given or was fetched."""
        return bool(self.given.get(name)) or self._fetched(name) is not None

    def is_given(self, name: str) -> bool:
        """Tell whether the user named a file for a role."""
        return bool(self.given.get(role(name).of or name))

    def names(self, name: str) -> list[str]:
        """List the corpora of a role, as they can be read by name."""
        whole = role(name).of or name
        return self.given.get(whole) or [str(self._fetched(whole))]

    def pairs(self, name: str) -> ChallengeSet:
        """Read the pairs of a role."""
        made = read_corpus(self.names(name))
        if not role(name).only:
            return made
        kept = made.pairs
        for tag, values in role(name).only:
            if tag not in kept.columns:
                raise InputError(
                    f"{', '.join(self.names(name))} has no column {tag}, by which {role(name).about} is told. "
                    "Give the published file."
                )
            kept = kept.filter(pl.col(tag).is_in(list(values)))
        return ChallengeSet(kept, replace(made.card, rows=kept.height, digest=None))

    def digest(self, name: str) -> list[str]:
        """Tell the content of a role's files from any other."""
        files = self.names(name)
        return [hash_file(Path(file)) if Path(file).is_file() else file for file in files]

    def told(self, name: str) -> str:
        """Name the files of a role."""
        return ", ".join(Path(file).name for file in self.names(name))

    def _fetched(self, name: str) -> Path | None:
        try:
            return find_cached(ROLES[name].fetched) if ROLES[name].fetched else None
        except InputError:  # not fetched yet
            return None
