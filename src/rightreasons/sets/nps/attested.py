"""What a corpus attests: the subjects and objects of verbs and its clauses, each with the first id it was met under."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core import trees
from rightreasons.core.errors import InputError
from rightreasons.sets.corpus_set import NoPairsError
from rightreasons.sets.nps.clauses import found_in
from rightreasons.sets.nps.filters import Nouns

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from rightreasons.sets.nps.phrases import Clause, NounPhrase, SentenceArguments

PARSES = {"premise": "premise_parse", "hypothesis": "hypothesis_parse"}


@dataclass
class Attested:
    """Phrases by verb form and clauses by text, each with its source."""

    subjects: dict[str, dict[str, tuple[str, NounPhrase]]] = field(default_factory=dict)
    objects: dict[str, dict[str, tuple[str, NounPhrase]]] = field(default_factory=dict)
    clauses: dict[str, tuple[str, Clause]] = field(default_factory=dict)
    nouns: Nouns = field(default_factory=Nouns)
    remarks: list[str] = field(default_factory=list)

    def add(self, source: str, found: SentenceArguments) -> None:
        """Take in what one sentence shows; sentences come in the order of their sources."""
        for form, phrase in found.subjects:
            self.subjects.setdefault(form, {}).setdefault(phrase.key, (source, phrase))
        for form, phrase in found.objects:
            self.objects.setdefault(form, {}).setdefault(phrase.key, (source, phrase))
        self.nouns.add(found)
        for clause in found.clauses:
            self.clauses.setdefault(clause.text, (source, clause))

    def subjects_of(self, forms: Collection[str]) -> dict[str, tuple[str, NounPhrase]]:
        """Gather the subjects of all forms of a verb, by their words."""
        return _gathered(self.subjects, forms)

    def objects_of(self, forms: Collection[str]) -> dict[str, tuple[str, NounPhrase]]:
        """Gather the objects of all forms of a verb, by their words."""
        return _gathered(self.objects, forms)


def _gathered(
    table: dict[str, dict[str, tuple[str, NounPhrase]]], forms: Collection[str]
) -> dict[str, tuple[str, NounPhrase]]:
    found: dict[str, tuple[str, NounPhrase]] = {}
    for form in sorted(forms):
        for key, entry in table.get(form, {}).items():
            found[key] = min(found.get(key, entry), entry, key=lambda one: one[0])
    return dict(sorted(found.items()))


def attested(sentences: Iterable[tuple[str, SentenceArguments]]) -> Attested:
    """Gather what all sentences of a corpus show."""
    found = Attested()
    for source, one in sentences:
        found.add(source, one)
    return found


def sentences_of(pairs: pl.DataFrame, columns: dict[str, str]) -> pl.DataFrame:
    """List the different texts of some columns with the first id of each: columns text, source (id and side)."""
    parts = [
        pairs.select(pl.col(column).alias("text"), pl.concat_str("id", pl.lit(f":{side}")).alias("source"))
        for side, column in columns.items()
    ]
    return (
        pl.concat(parts).drop_nulls("text").sort("source").unique("text", keep="first", maintain_order=True)
    )


def from_parses(pairs: pl.DataFrame) -> Attested:
    """Gather what the parses of a corpus show; a parse that is none is left out and counted."""
    columns = {side: column for side, column in PARSES.items() if column in pairs.columns}
    sentences = sentences_of(pairs, columns) if columns else pl.DataFrame()
    if sentences.is_empty():
        raise NoPairsError(
            "The corpus has no parses, and nps finds subjects, objects and clauses by them. Give a corpus with parses, "
            "name a parser with -o parser=spacy:MODEL, or leave --corpus out."
        )
    malformed: list[str] = []
    found = attested(_read(sentences, malformed))
    if malformed:
        found.remarks.append(
            f"{len(malformed):,} malformed parses were left out, the first of {malformed[0]}."
        )
    return found


def _read(sentences: pl.DataFrame, malformed: list[str]) -> Iterator[tuple[str, SentenceArguments]]:
    for text, source in sentences.select("text", "source").iter_rows():
        try:
            tree = trees.read(text)
        except InputError:
            malformed.append(source)
            continue
        yield source, found_in(tree)
