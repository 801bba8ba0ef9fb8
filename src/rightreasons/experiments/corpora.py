"""Corpora by their role in an experiment, such as mnli-train, and the training files that are written from them.

Weights are selected on pairs held out of the training file, never on the dev set that the paper reports.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.keyed_random import draw_numbers
from rightreasons.core.pairs import PARSE_COLUMNS, ChallengeSet
from rightreasons.corpora import read_corpus
from rightreasons.corpora.corpus_source import find_cached_corpus, hash_file
from rightreasons.io.outputs import write_folder_atomically
from rightreasons.io.polars_io import read_parquet, write_parquet
from rightreasons.training.edits import apply_edit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

CARD = "card.json"
_MIXED = "+"


@dataclass(frozen=True)
class Role:
    """The corpus that the papers use in a role, its name in the download cache, and its number of pairs."""

    about: str
    fetched: str = ""
    pairs: int | None = None
    part_of: str = ""  # the role whose file it is a part of
    filters: tuple[
        tuple[str, tuple[str, ...]], ...
    ] = ()  # the tags, with their values, that select that part
    dev_role: str = ""  # the role whose pairs select the weights; default: a slice of its own pairs


ROLES = {
    "mnli-train": Role("pairs of the MultiNLI training set", "multinli/train", 392_702),
    "mnli-dev-matched": Role("MultiNLI dev, matched", "multinli/dev_matched", 9_815),
    "mnli-dev-mismatched": Role("MultiNLI dev, mismatched", "multinli/dev_mismatched", 9_832),
    "parsed-train": Role("parsed pairs of the MultiNLI training set", "multinli/train", 392_702),
    "parsed-dev-matched": Role("MultiNLI dev, matched, with parses", "multinli/dev_matched", 9_815),
    "snli-train": Role("pairs of the SNLI training set", "snli/train", 549_367),
    "snli-dev": Role("SNLI dev", "snli/dev", 9_842),
    "snli-test": Role("SNLI test", "snli/test", 9_824),
    "sick": Role("SICK with its expansion rules", "sick/annotated", 9_840),
    "sick-train": Role(
        "the train part of SICK",
        part_of="sick",
        filters=(("SemEval_set", ("TRAIN",)),),
        dev_role="sick-trial",
    ),
    "sick-trial": Role("the trial part of SICK", part_of="sick", filters=(("SemEval_set", ("TRIAL",)),)),
    "sick-test": Role("the test part of SICK", part_of="sick", filters=(("SemEval_set", ("TEST",)),)),
    "sick-outside-test": Role(
        "the train and trial parts of SICK",
        part_of="sick",
        filters=(("SemEval_set", ("TRAIN", "TRIAL")),),
        dev_role="sick-without-rules",
    ),
    "sick-without-rules": Role(
        "the pairs of SICK's trial part that no rule generated",
        part_of="sick",
        filters=(
            ("SemEval_set", ("TRIAL",)),
            ("pair_type", ("S1S1_inter", "S1S2_inter", "S1S3_inter", "S1S4_inter")),
        ),
    ),
    "lingnli-train": Role("pairs of LingNLI"),
    "conjnli-auto": Role("ConjNLI pairs with automatic labels"),
    "help-auto": Role("HELP pairs about conjunction, with automatic labels"),
    "counterfactual-snli": Role("counterfactually revised pairs of SNLI"),
    "mpe-train": Role("pairs of MPE, with four captions as premise"),
    "hans-eval": Role("the HANS evaluation set", "hans/eval", 30_000),
    "word-problems": Role("AQuA-RAT train", "aqua/train"),
    "stress-numerical": Role("the released numerical stress test"),
    "words": Role("running text for a language model, WikiText-103 in the paper"),
    "tagged": Role("tagged sentences, CCGbank in the paper"),
    "captions": Role("captions of images with features, COCO in the paper"),
}


def find_role(name: str) -> Role:
    """Find a role by its name."""
    if name not in ROLES:
        raise UnknownNameError("corpus role", name, ROLES)
    return ROLES[name]


def list_mixed_roles(training: str) -> list[str]:
    """List the roles that training pairs come from; a mixture joins them with +, as in mnli-train+sick-train."""
    return training.split(_MIXED)


class ExperimentCorpora:
    """The corpora of an experiment, by role."""

    def __init__(self, given: Mapping[str, Sequence[str]]) -> None:
        """Take the files that the user gave for roles; other roles are looked up in the download cache."""
        for name in given:
            if whole := find_role(name).part_of:
                raise InputError(
                    f"The role {name!r} is a part of {whole!r}. Give a file for {whole!r} instead."
                )
        self.given = {name: [str(file) for file in files] for name, files in given.items()}

    def refuse_missing(self, needed: Iterable[str]) -> None:
        """Raise an error that names all missing corpora at once."""
        roles = dict.fromkeys(find_role(name).part_of or name for name in needed)
        missing = [name for name in roles if not self.has_file(name)]
        if missing:
            names = "; ".join(f"{name} ({find_role(name).about})" for name in missing)
            archives = dict.fromkeys(find_role(name).fetched.partition("/")[0] for name in missing)
            fetch = " and ".join(f"rightreasons fetch {name}" for name in archives if name)
            flags = " ".join(f"--corpus {name}=FILE" for name in missing)
            raise InputError(f"Missing corpora: {names}. Give {flags}{f', or run {fetch}' if fetch else ''}.")

    def has_file(self, name: str) -> bool:
        """Whether a role has a file, given or fetched."""
        return bool(self.given.get(name)) or self._find_cached_file(name) is not None

    def is_given(self, name: str) -> bool:
        """Whether the user gave a file for a role."""
        return bool(self.given.get(find_role(name).part_of or name))

    def list_corpora(self, name: str) -> list[str]:
        """The names of a role's corpora, as `read_corpus` takes them."""
        whole = find_role(name).part_of or name
        return self.given.get(whole) or [str(self._find_cached_file(whole))]

    def read_pairs(self, name: str) -> ChallengeSet:
        """Read the pairs of a role."""
        corpus = read_corpus(self.list_corpora(name))
        role = find_role(name)
        if not role.filters:
            return corpus
        pairs = corpus.pairs
        for tag, values in role.filters:
            if tag not in pairs.columns:
                raise InputError(
                    f"{', '.join(self.list_corpora(name))} has no column {tag}, which is needed to select "
                    f"{role.about}. Give the published file."
                )
            pairs = pairs.filter(pl.col(tag).is_in(list(values)))
        return ChallengeSet(pairs, replace(corpus.card, rows=pairs.height, digest=None))

    def list_digests(self, name: str) -> list[str]:
        """The digests of a role's files; the name of a corpus that is not a file stands for itself."""
        files = self.list_corpora(name)
        return [hash_file(Path(file)) if Path(file).is_file() else file for file in files]

    def format_file_names(self, name: str) -> str:
        """The file names of a role, for captions and errors."""
        return ", ".join(Path(file).name for file in self.list_corpora(name))

    def _find_cached_file(self, name: str) -> Path | None:
        try:
            return find_cached_corpus(ROLES[name].fetched) if ROLES[name].fetched else None
        except InputError:  # not fetched yet
            return None


@dataclass(frozen=True)
class TrainingFiles:
    """The files of training pairs and held-out pairs, and what is in them."""

    key: str
    train: Path
    dev: Path
    facts: dict[str, Any]  # role, files, and the numbers of pairs in the corpus, for training, and held out


def write_training_files(
    folder: Path, corpora: ExperimentCorpora, role: str, *, size: int | None, dev: int, parses: bool = False
) -> TrainingFiles:
    """Write the training and held-out pairs of a role, or of a mixture, into a folder, unless they exist."""
    if len(roles := list_mixed_roles(role)) > 1:
        shares = [
            None if size is None else len(range(place, size, len(roles))) for place in range(len(roles))
        ]
        return _write_mixed_training_files(
            folder,
            [
                write_training_files(folder, corpora, each, size=share, dev=dev // len(roles), parses=parses)
                for each, share in zip(roles, shares, strict=True)
            ],
        )
    dev_role = find_role(role).dev_role
    wanted = {"role": role, "sources": corpora.list_digests(role), "size": size, "dev": dev, "parses": parses}
    key = hashlib.sha256(json.dumps(wanted, sort_keys=True).encode()).hexdigest()[:16]
    place = folder / f"{role}-{key}"
    if not (place / CARD).exists():
        pairs = corpora.read_pairs(role).pairs
        usable = _drop_unusable_pairs(pairs, corpora.format_file_names(role), parses=parses)
        train, held_out = (
            (usable, corpora.read_pairs(dev_role).pairs) if dev_role else hold_out_premises(usable, dev)
        )
        sample = train if size is None else apply_edit(train, f"subsample:size={size}")
        facts = {"role": role, "files": corpora.format_file_names(role), "pairs": pairs.height}
        facts |= {"train": sample.height, "dev": held_out.height, "chosen_by": dev_role}
        _write_pairs_folder(place, sample, held_out, facts)
    facts = json.loads((place / CARD).read_text(encoding="utf-8"))
    return TrainingFiles(key, place / "train.parquet", place / "dev.parquet", facts)


def _write_mixed_training_files(folder: Path, parts: Sequence[TrainingFiles]) -> TrainingFiles:
    """Write a mixture of training files: the pairs of all, with the role before each id."""
    roles = [part.facts["role"] for part in parts]
    name = _MIXED.join(roles)
    key = hashlib.sha256("".join(part.key for part in parts).encode()).hexdigest()[:16]
    place = folder / f"{name}-{key}"
    if not (place / CARD).exists():
        train, held_out = (
            pl.concat(
                [
                    read_parquet(file).with_columns(pl.concat_str(pl.lit(f"{role}:"), "id").alias("id"))
                    for role, file in zip(roles, files, strict=True)
                ],
                how="diagonal_relaxed",
            )
            for files in ([part.train for part in parts], [part.dev for part in parts])
        )
        facts: dict[str, Any] = {
            "role": name,
            "chosen_by": "",
            "mixed": [part.facts for part in parts],
            "files": ", ".join(dict.fromkeys(part.facts["files"] for part in parts)),
            "pairs": sum(part.facts["pairs"] for part in parts),
            "train": train.height,
            "dev": held_out.height,
        }
        _write_pairs_folder(place, train, held_out, facts)
    facts = json.loads((place / CARD).read_text(encoding="utf-8"))
    return TrainingFiles(key, place / "train.parquet", place / "dev.parquet", facts)


def hold_out_premises(pairs: pl.DataFrame, dev: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Split off about `dev` pairs, by whole premises, so that both sides share no premise."""
    premises = pairs.group_by("premise").agg(n=pl.len())
    drawn = pl.Series("drawn", draw_numbers(premises["premise"], "held out"))
    order = (
        premises.with_columns(drawn).sort("drawn").with_columns(before=pl.col("n").cum_sum() - pl.col("n"))
    )
    most = min(dev, pairs.height // 4)
    selected = order.filter(pl.col("before") < most)["premise"]
    inside = pl.col("premise").is_in(selected.implode())
    return pairs.filter(~inside), pairs.filter(inside)


def _drop_unusable_pairs(pairs: pl.DataFrame, name: str, *, parses: bool) -> pl.DataFrame:
    """Drop duplicates, and pairs without parses if a model reads trees."""
    parse_columns = [column for column in PARSE_COLUMNS if column in pairs.columns]
    unique = pairs.unique(["premise", "hypothesis"], keep="first", maintain_order=True)
    if not parses:
        return unique.drop(parse_columns)
    if not parse_columns:
        raise InputError(f"{name} has no parses, which SPINN needs. Give a file with parses for this role.")
    return unique.drop_nulls(parse_columns)


def _write_pairs_folder(place: Path, train: pl.DataFrame, dev: pl.DataFrame, facts: dict[str, Any]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with write_folder_atomically(place, force=True, internal=True) as folder:
        write_parquet(train, folder / "train.parquet")
        write_parquet(dev, folder / "dev.parquet")
        (folder / CARD).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
