"""Subjects and objects of verbs, and clauses, read off dependencies of spaCy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rightreasons.errors import InputError
from rightreasons.sets.nps_attested import Attested, attested, sentences_of
from rightreasons.sets.nps_phrases import NOUNS, Clause, Found, Phrase, lowered

if TYPE_CHECKING:
    import polars as pl

_FINITE = ("VBD", "VBP", "VBZ", "MD")
_SUBJECTS = ("nsubj", "nsubjpass", "nsubj:pass")
_PASSIVE = ("nsubjpass", "nsubj:pass", "auxpass", "aux:pass")
_OBJECTS = ("dobj", "obj")
_MORE = ("ccomp", "xcomp", "oprd", "dative", "iobj")
_CLAUSES = ("ROOT", "ccomp", "advcl", "conj", "parataxis")
_COMPARING = ("than", "as", "like")


def from_texts(pairs: pl.DataFrame, parser: str) -> Attested:
    """Gather what a parsed corpus shows, its texts parsed by spacy:MODEL."""
    texts = sentences_of(pairs, {"premise": "premise", "hypothesis": "hypothesis"})
    documents = _pipeline(parser).pipe(texts["text"].to_list())
    return attested(
        (source, found_in(document)) for source, document in zip(texts["source"], documents, strict=True)
    )


def found_in(document: Any) -> Found:
    """Read the subjects and objects of all verbs, and all clauses, off one parsed text."""
    found = Found()
    for token in document:
        if token.tag_.startswith("VB"):
            _add_verb(token, found)
        clause = _clause(token)
        if clause is not None:
            found.clauses.append(clause)
    return found


def _pipeline(parser: str) -> Any:
    """Load the pipeline that spacy:MODEL names; it must find dependencies."""
    kind, _, model = parser.partition(":")
    if kind != "spacy" or not model:
        raise InputError(f"There is no parser {parser!r}. Write spacy:MODEL, such as spacy:en_core_web_sm.")
    try:
        import spacy

        loaded = spacy.load(model)
    except (ImportError, OSError) as error:
        raise InputError(
            f"The parser {parser!r} can't be loaded: {str(error).splitlines()[0]} Install spaCy and the model."
        ) from error
    if "parser" not in loaded.pipe_names:
        raise InputError(f"The pipeline {model!r} has no parser, so it finds no clauses. Name one that has.")
    return loaded


def _add_verb(verb: Any, found: Found) -> None:
    children = list(verb.children)
    relations = {child.dep_ for child in children}
    if relations.intersection(_PASSIVE):
        return
    form = verb.text.lower()
    for child in children:
        phrase = _phrase(child)
        if phrase is not None and child.dep_ == "nsubj":
            found.subjects.append((form, phrase))
        elif phrase is not None and child.dep_ in _OBJECTS and not relations.intersection(_MORE):
            found.objects.append((form, phrase))


def _phrase(head: Any) -> Phrase | None:
    """Cut a noun phrase from its first word to its noun; None for anything else, and for several in a row."""
    if head.tag_ not in (*NOUNS, "PRP") or any(child.dep_ == "conj" for child in head.children):
        return None
    tokens = head.doc[head.left_edge.i : head.i + 1]
    tags = tuple(token.tag_ for token in tokens)
    words = lowered(tuple(token.text for token in tokens), tags, first=bool(tokens[0].is_sent_start))
    return Phrase(words, tags, len(words) - 1)


def _clause(verb: Any) -> Clause | None:
    """Cut a clause from its subject to its end; None where the verb is not finite or the clause may lack a part."""
    subjects = [child for child in verb.children if child.dep_ in _SUBJECTS]
    if len(subjects) != 1 or verb.dep_ not in _CLAUSES or not _is_finite(verb) or _compares(verb):
        return None
    subject = _phrase(subjects[0])
    if subject is None or subjects[0].right_edge.i != subjects[0].i or subjects[0].i > verb.i:
        return None
    tokens = list(verb.doc[subjects[0].left_edge.i : verb.right_edge.i + 1])
    while not any(character.isalnum() for character in tokens[-1].text):
        tokens.pop()
    words = subject.words + tuple(token.text for token in tokens[len(subject.words) :])
    asks = verb.sent[-1].text == "?"
    return Clause(subject, words, tuple(token.tag_ for token in tokens), asks=asks)


def _is_finite(verb: Any) -> bool:
    helpers = [child for child in verb.children if child.dep_ in ("aux", "auxpass", "aux:pass", "cop")]
    first = min([verb, *helpers], key=lambda token: int(token.i))
    return first.tag_ in _FINITE


def _compares(verb: Any) -> bool:
    return any(child.dep_ == "mark" and child.text.lower() in _COMPARING for child in verb.children)
