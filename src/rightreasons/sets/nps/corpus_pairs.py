"""NP/S pairs from a corpus: what it attests of subjects, objects and clauses, and the pairs built from that."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core import trees
from rightreasons.core.errors import InputError
from rightreasons.core.keyed_random import draw_numbers
from rightreasons.sets.corpus_set import NoPairsError
from rightreasons.sets.nps.phrases import (
    NEGATION,
    NounUsage,
    blocks_entailment,
    can_be_thinker,
    has_negation,
    is_plausible_clause,
    is_usable_object,
    join_words,
    make_sentence,
)
from rightreasons.sets.nps.sentence_arguments import extract_from_constituency, extract_from_dependencies

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from rightreasons.sets.nps.phrases import Clause, NounPhrase, SentenceArguments
    from rightreasons.sets.nps.verbs import Verb

PARSE_COLUMNS = {"premise": "premise_parse", "hypothesis": "hypothesis_parse"}
TAGS = (
    "set", "subcase", "group", "verb", "match", "noun", "subject_source", "object_source", "clause_source",
)  # fmt: skip
COLUMNS = ("id", "premise", "hypothesis", "label", *TAGS)
_MENDED = {"ca": "can", "wo": "will", "sha": "shall"}
_SCHEMA = dict.fromkeys(COLUMNS[1:], pl.String)


@dataclass
class Attested:
    """Phrases by verb form and clauses by text, each with its source."""

    subjects: dict[str, dict[str, tuple[str, NounPhrase]]] = field(default_factory=dict)
    objects: dict[str, dict[str, tuple[str, NounPhrase]]] = field(default_factory=dict)
    clauses: dict[str, tuple[str, Clause]] = field(default_factory=dict)
    nouns: NounUsage = field(default_factory=NounUsage)
    remarks: list[str] = field(default_factory=list)

    def add_sentence(self, source: str, arguments: SentenceArguments) -> None:
        """Add the arguments and clauses of one sentence; sentences come in the order of their sources."""
        for form, phrase in arguments.subjects:
            self.subjects.setdefault(form, {}).setdefault(phrase.lower_text, (source, phrase))
        for form, phrase in arguments.objects:
            self.objects.setdefault(form, {}).setdefault(phrase.lower_text, (source, phrase))
        self.nouns.add_sentence(arguments)
        for clause in arguments.clauses:
            self.clauses.setdefault(clause.text, (source, clause))

    def collect_subjects(self, forms: Collection[str]) -> dict[str, tuple[str, NounPhrase]]:
        """Gather the subjects of all forms of a verb, by their words."""
        return _merge_phrases_of_forms(self.subjects, forms)

    def collect_objects(self, forms: Collection[str]) -> dict[str, tuple[str, NounPhrase]]:
        """Gather the objects of all forms of a verb, by their words."""
        return _merge_phrases_of_forms(self.objects, forms)


def _merge_phrases_of_forms(
    table: dict[str, dict[str, tuple[str, NounPhrase]]], forms: Collection[str]
) -> dict[str, tuple[str, NounPhrase]]:
    merged: dict[str, tuple[str, NounPhrase]] = {}
    for form in sorted(forms):
        for key, entry in table.get(form, {}).items():
            merged[key] = min(merged.get(key, entry), entry, key=lambda one: one[0])
    return dict(sorted(merged.items()))


def collect_attested(sentences: Iterable[tuple[str, SentenceArguments]]) -> Attested:
    """Gather what all sentences of a corpus show."""
    attested = Attested()
    for source, one in sentences:
        attested.add_sentence(source, one)
    return attested


def list_distinct_texts(pairs: pl.DataFrame, columns: dict[str, str]) -> pl.DataFrame:
    """List the different texts of some columns with the first id of each: columns text, source (id and side)."""
    parts = [
        pairs.select(pl.col(column).alias("text"), pl.concat_str("id", pl.lit(f":{side}")).alias("source"))
        for side, column in columns.items()
    ]
    return (
        pl.concat(parts).drop_nulls("text").sort("source").unique("text", keep="first", maintain_order=True)
    )


def collect_attested_from_parses(pairs: pl.DataFrame) -> Attested:
    """Gather what the parses of a corpus show; a parse that is none is left out and counted."""
    columns = {side: column for side, column in PARSE_COLUMNS.items() if column in pairs.columns}
    sentences = list_distinct_texts(pairs, columns) if columns else pl.DataFrame()
    if sentences.is_empty():
        raise NoPairsError(
            "The corpus has no parses, which nps needs to find subjects, objects and clauses. Give a corpus with "
            "parses, choose a parser with -o parser=spacy:MODEL, or omit --corpus."
        )
    malformed: list[str] = []
    attested = collect_attested(_extract_from_parses(sentences, malformed))
    if malformed:
        attested.remarks.append(
            f"{len(malformed):,} malformed parses were left out, first that of {malformed[0]}."
        )
    return attested


def _extract_from_parses(
    sentences: pl.DataFrame, malformed: list[str]
) -> Iterator[tuple[str, SentenceArguments]]:
    for text, source in sentences.select("text", "source").iter_rows():
        try:
            tree = trees.parse_tree(text)
        except InputError:
            malformed.append(source)
            continue
        yield source, extract_from_constituency(tree)


def collect_attested_from_texts(pairs: pl.DataFrame, parser: str) -> Attested:
    """Gather what the texts of a corpus show, parsed by spacy:MODEL."""
    from rightreasons.language.spacy_adapter import analyse_texts

    kind, _, model = parser.partition(":")
    if kind != "spacy" or not model:
        raise InputError(f"Unknown parser {parser!r}. Use spacy:MODEL, such as spacy:en_core_web_sm.")
    texts = list_distinct_texts(pairs, {"premise": "premise", "hypothesis": "hypothesis"})
    strings = texts["text"].to_list()
    words = analyse_texts(strings, model)
    return collect_attested(
        (source, extract_from_dependencies(text, tokens, parser))
        for source, text, tokens in zip(texts["source"], strings, words, strict=True)
    )


@dataclass(frozen=True)
class Rules:
    """What counts as attested and what is kept."""

    match: str = "exact"
    negation: str = "free"
    plausible: bool = True
    per_noun: int = 10


class NpsPairBuilder:
    """Makes the pairs of one verb."""

    def __init__(self, known: Attested, verb: Verb, rules: Rules) -> None:
        """Set what the corpus attests, the verb and the rules."""
        self.known = known
        self.verb = verb
        self.rules = rules

    @cached_property
    def subjects(self) -> list[tuple[str, NounPhrase]]:
        """List the subjects of the verb with their sources: condition (i)."""
        subjects = self.known.collect_subjects(self.verb.forms).values()
        return [(source, phrase) for source, phrase in subjects if self.keeps_subject(phrase)]

    @cached_property
    def objects(self) -> dict[str, str]:
        """Map the objects of the verb, whole or by their nouns, to their sources: condition (ii)."""
        sources: dict[str, str] = {}
        for source, phrase in self.known.collect_objects(self.verb.forms).values():
            if is_usable_object(phrase, self.verb):
                key = phrase.lower_text if self.rules.match == "exact" else phrase.noun
                sources[key] = min(sources.get(key, source), source)
        return sources

    @cached_property
    def attested_clauses(self) -> list[tuple[str, Clause]]:
        """List the clauses whose subject is such an object, with their sources: condition (iii)."""
        return [
            (source, one)
            for source, one in self.known.clauses.values()
            if self.get_subject_key(one) in self.objects
        ]

    @cached_property
    def clauses(self) -> list[tuple[str, Clause]]:
        """List those of these clauses that pass the filters."""
        return [(source, one) for source, one in self.attested_clauses if self.keeps_clause(one)]

    def get_subject_key(self, clause: Clause) -> str:
        """Return what of the clause's subject has to be attested."""
        return clause.subject.lower_text if self.rules.match == "exact" else clause.subject.noun

    def keeps_subject(self, phrase: NounPhrase) -> bool:
        """Return whether a subject is kept."""
        if self.rules.negation != "any" and has_negation(phrase.words):
            return False
        return not self.rules.plausible or can_be_thinker(phrase, self.known.nouns)

    def keeps_clause(self, clause: Clause) -> bool:
        """Return whether a clause is kept; a negated subject or a pronoun would make another hypothesis."""
        if self.rules.negation == "free" and has_negation(clause.words):
            return False
        if has_negation(clause.subject.words) or clause.subject.head_tag == "PRP":
            return False
        return not self.rules.plausible or (
            is_plausible_clause(clause, self.known.nouns) and blocks_entailment(clause, self.verb)
        )

    def build_pairs(self, name: str, *key: str | int) -> Iterator[dict[str, str]]:
        """Build a pair for every clause, with a subject drawn for it."""
        if not self.subjects:
            return
        ids = [f"{self.verb.past}-{source}-{clause.text}" for source, clause in self.clauses]
        numbers = draw_numbers(ids, name, *key, "subject")
        for (source, clause), number in zip(self.clauses, numbers, strict=True):
            subject = self.choose_subject(clause, int(number))
            if subject is not None:
                yield self.build_pair(name, subject, source, clause)

    def choose_subject(self, clause: Clause, number: int) -> tuple[str, NounPhrase] | None:
        """Choose a subject that is someone else than whom the clause is about."""
        for step in range(len(self.subjects)):
            subject = self.subjects[(number + step) % len(self.subjects)]
            if subject[1].noun not in {word.lower() for word in clause.words}:
                return subject
        return None

    def build_pair(
        self, name: str, subject: tuple[str, NounPhrase], source: str, clause: Clause
    ) -> dict[str, str]:
        """Build one pair."""
        start = f"{subject[1].text} {self.verb.past}"
        words = drop_negation(clause.words) if self.rules.negation == "removed" else clause.words
        return {
            "premise": make_sentence(f"{start} {join_words(words)}"),
            "hypothesis": make_sentence(f"{start} {clause.subject.text}"),
            "label": "non-entailment",
            "set": name,
            "subcase": self.verb.past,
            "group": source,
            "verb": self.verb.past,
            "match": self.rules.match,
            "noun": clause.subject.noun,
            "subject_source": subject[0],
            "object_source": self.objects[self.get_subject_key(clause)],
            "clause_source": source,
        }

    def describe_candidate_counts(self, pairs: int) -> str:
        """Report how many candidates each condition left."""
        return (
            f"{self.verb.past}: {len(self.subjects):,} subjects (i), {len(self.objects):,} objects (ii), "
            f"{len(self.attested_clauses):,} clauses about them (iii), {len(self.clauses):,} after the filters, "
            f"{pairs:,} pairs."
        )


def drop_negation(words: Sequence[str]) -> tuple[str, ...]:
    """Drop the negation words, as the paper did; the rest may not be grammatical."""
    rest = tuple(word for word in words if word.lower() not in NEGATION)
    return rest if len(rest) == len(words) else tuple(_MENDED.get(word, word) for word in rest)


def build_nps_pairs(
    known: Attested, verbs: Sequence[Verb], rules: Rules, name: str, *key: str | int
) -> tuple[pl.DataFrame, list[str]]:
    """Build the pairs of all verbs, without repeated premises; report what each condition left."""
    tables, remarks = [], []
    for verb in verbs:
        builder = NpsPairBuilder(known, verb, rules)
        table = _limit_pairs_per_noun(
            pl.DataFrame(list(builder.build_pairs(name, *key)), _SCHEMA), rules, name, *key
        )
        tables.append(table)
        remarks.append(builder.describe_candidate_counts(table.height))
    table = pl.concat(tables).unique("premise", keep="first", maintain_order=True)
    return table.select(COLUMNS), remarks


def _limit_pairs_per_noun(table: pl.DataFrame, rules: Rules, name: str, *key: str | int) -> pl.DataFrame:
    """Number the pairs of a clause's source, and keep some pairs of each noun, drawn by id."""
    number = pl.int_range(pl.len()).over("clause_source") + 1
    ids = pl.concat_str(pl.lit(f"{name}-"), "verb", pl.lit("-"), "clause_source", pl.lit("-"), number)
    table = table.with_columns(ids.alias("id"))
    drawn = pl.Series("drawn", draw_numbers(table["id"], name, *key, "noun"), dtype=pl.UInt64)
    place = pl.col("drawn").rank("ordinal").over("noun")
    return table.with_columns(drawn).filter(place <= rules.per_noun).drop("drawn")
