"""Words replaced by their antonyms: the lexicon of antonyms, the sense of a word, and the edits.

Edits replace whole words where the opposite contradicts, in their own sense, with number, degree and article right.
"""

from __future__ import annotations

import csv
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import polars as pl

from rightreasons.core.keyed_random import derive_numbers, draw_numbers, scale_to_range
from rightreasons.core.resources import DATA_FOLDER
from rightreasons.language.inflection import choose_article, copy_case, inflect_degree, is_plural, pluralise
from rightreasons.language.senses import (
    Candidate,
    choose_best_sense,
    list_context_words,
    list_sense_candidates,
)
from rightreasons.sets.stress.antonym_contexts import (
    Token,
    find_adjective_frame,
    find_noun_frame,
    is_after_count,
    is_in_main_clause,
    is_in_plain_clause,
    is_plain_assertion,
    split_token_sentences,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from rightreasons.language.wordnet import Synset, WordNet

Which = Literal["curated", "all"]
ANTONYM_FILE = DATA_FOLDER / "language" / "antonyms.tsv"
TAGS = {"NN": "n", "NNS": "n", "JJ": "a", "JJR": "a", "JJS": "a"}
EDITS = {
    "row": pl.UInt32,
    "edit_at": pl.Int64,
    "edit_from": pl.String,
    "edit_to": pl.String,
    "word": pl.String,
    "antonym": pl.String,
    "synset": pl.String,
    "antonym_type": pl.String,
    "position": pl.Int64,
    "subcase": pl.String,
}
_SUBCASES = {"n": "noun", "a": "adjective"}
_CONCRETE = frozenset(
    f"noun.{kind}" for kind in ("animal", "artifact", "body", "food", "location", "object", "person", "plant")
)
_IN_COMPOUND = ("NN", "NNS", "NNP", "JJ", "VBG")
_TIES = frozenset("-/_&\u2010\u2011")
_SHARE = "minority"  # one has the majority of them, but a minority
_QUOTES = frozenset("'\"`\u2018\u201c")


class Antonym(NamedTuple):
    """An antonym of a lemma: its type, the frames it is good in, and the words it may or may not stand by."""

    lemma: str
    antonym: str
    kind: str | None
    frames: frozenset[str]
    only_before: frozenset[str] = frozenset()
    not_before: frozenset[str] = frozenset()
    not_with: frozenset[str] = frozenset()

    def fits_frame(self, frame: str, after: str) -> bool:
        """Return whether the antonym may stand in a frame before a word."""
        placed = not self.frames.isdisjoint(("all", frame, "predicate" if frame == "bare" else frame))
        return placed and after not in self.not_before and (not self.only_before or after in self.only_before)


class LexiconWord(NamedTuple):
    """What a token may turn into: for one lemma its entries, and the senses to choose from."""

    entries: tuple[Antonym, ...]
    senses: tuple[Candidate, ...]


@lru_cache(maxsize=1)
def load_curated_antonyms() -> dict[tuple[str, str], tuple[Antonym, ...]]:
    """Read the list: part of speech and lemma, with what may stand in its place."""
    antonyms: dict[tuple[str, str], tuple[Antonym, ...]] = {}
    with ANTONYM_FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            limits = [
                frozenset(row[name].split()) for name in ("frames", "only_before", "not_before", "not_with")
            ]
            entry = Antonym(row["word"], row["antonym"], row["type"], *limits)
            antonyms[row["pos"], entry.lemma] = (*antonyms.get((row["pos"], entry.lemma), ()), entry)
    return antonyms


@lru_cache(maxsize=1 << 16)
def look_up_antonyms(lower: str, tag: str, which: Which, wordnet: WordNet) -> LexiconWord | None:
    """Look a noun or adjective up: its entries and senses, or None where it has no antonym."""
    pos = TAGS[tag]
    for lemma in _list_lemmas(lower, tag, wordnet):
        entries = (
            load_curated_antonyms().get((pos, lemma), ())
            if which == "curated"
            else _list_direct_antonyms(lemma, pos, wordnet)
        )
        if entries:
            senses = list_sense_candidates(lemma, pos, "ours", wordnet)
            return LexiconWord(
                entries,
                _sort_senses_with_antonyms_first(senses, entries, wordnet) if which == "curated" else senses,
            )
    return None


def choose_sense(
    word: LexiconWord, context: AbstractSet[str], wordnet: WordNet
) -> tuple[Synset, list[Antonym]]:
    """Choose the sense of a word among the words around it, and the entries that this sense has."""
    synset = choose_best_sense(context, word.senses)
    return synset, [entry for entry in word.entries if entry.antonym in list_opposite_words(synset, wordnet)]


def list_opposite_words(synset: Synset, wordnet: WordNet) -> frozenset[str]:
    """List the words of the opposite sense: of a satellite, that of its head, with the satellites there."""
    return _list_opposites_by_synset_row(synset.row, wordnet)


@lru_cache(maxsize=1 << 14)
def _list_opposites_by_synset_row(row: int, wordnet: WordNet) -> frozenset[str]:
    synset = wordnet.synset(row)
    near = (synset, *wordnet.heads(synset))
    opposite = {wordnet.synset(row) for one in near for _, _, row in one.antonyms}
    around = {wordnet.synset(row) for one in opposite for row in one.similar} | opposite
    return frozenset(lemma.lower() for one in around for lemma in one.lemmas)


def _list_lemmas(lower: str, tag: str, wordnet: WordNet) -> list[str]:
    """List the lemmas of a token: of a singular noun or a plain adjective the word itself, of others all."""
    if tag in ("NN", "JJ"):
        return [lower] if wordnet.has(lower, TAGS[tag]) else []
    forms = wordnet.base_forms(lower, TAGS[tag])
    return [form for form in forms if form != lower] if tag == "NNS" else forms


def _sort_senses_with_antonyms_first(
    senses: tuple[Candidate, ...], entries: tuple[Antonym, ...], wordnet: WordNet
) -> tuple[Candidate, ...]:
    """Sort senses that have a listed antonym first, so that they win ties."""
    wanted = {entry.antonym for entry in entries}
    return tuple(
        sorted(senses, key=lambda candidate: wanted.isdisjoint(list_opposite_words(candidate[0], wordnet)))
    )


def _list_direct_antonyms(lemma: str, pos: str, wordnet: WordNet) -> tuple[Antonym, ...]:
    """List the antonyms that WordNet gives to the lemma itself; any frame will do."""
    senses = wordnet.synsets(lemma, pos)
    names = dict.fromkeys(antonym.lower() for synset in senses for antonym in synset.antonyms_of(lemma))
    known = {entry.antonym: entry.kind for entry in load_curated_antonyms().get((pos, lemma), ())}
    anywhere = frozenset(["all"])
    return tuple(
        Antonym(lemma, name, known.get(name), anywhere) for name in names if "_" not in name and name != lemma
    )


class ReplaceableWord(NamedTuple):
    """A word of a text that may be replaced: where it stands, its sense, and what may stand there instead."""

    row: int
    position: int
    synset: str
    token: Token
    before: Token | None
    after: str
    entries: list[Antonym]


def list_antonym_edits(
    texts: pl.Series,
    tokens: pl.DataFrame,
    *,
    key: tuple[str | int, ...],
    which: Which,
    every: bool,
    wordnet: WordNet,
) -> pl.DataFrame:
    """List the edits of texts, given their tokens: one for each word that has one, or for one word of each text.

    Choices depend on the key, the text and the place of the word in it.
    """
    words = list(_find_replaceable_words(texts, tokens, which, wordnet))
    drawn = draw_numbers((f"{texts[one.row]}\x1f{one.position}" for one in words), *key)
    counts = np.array([len(one.entries) for one in words], dtype=np.int64)
    which_entry = scale_to_range(derive_numbers(drawn, 0), counts)
    edits = [
        _make_edit_row(texts[one.row], one, one.entries[i], wordnet)
        for one, i in zip(words, which_entry, strict=True)
    ]
    table = pl.DataFrame(edits, schema=EDITS, orient="row").with_columns(pl.Series("drawn", drawn))
    if not every:
        table = table.filter(pl.col("drawn") == pl.col("drawn").min().over("row")).unique("row", keep="first")
    return table.sort("row", "position").drop("drawn")


def _find_replaceable_words(
    texts: pl.Series, tokens: pl.DataFrame, which: Which, wordnet: WordNet
) -> Iterator[ReplaceableWord]:
    """Yield the replaceable words of all texts; texts without a word that has an antonym are skipped early."""
    named = tokens.with_columns(pl.col("token").str.to_lowercase().alias("lower"))
    kinds = named.select("lower", "tag").filter(pl.col("tag").is_in(list(TAGS))).unique()
    live = [kind for kind in kinds.iter_rows() if look_up_antonyms(*kind, which, wordnet)]
    wanted = pl.DataFrame(live, schema={"lower": pl.String, "tag": pl.String}, orient="row")
    rows = named.join(wanted, on=["lower", "tag"], how="semi")["row"].unique()
    columns = ("start", "end", "token", "tag", "lower")
    candidates = named.filter(pl.col("row").is_in(rows.implode())).with_columns(pl.col("tag").fill_null(""))
    for row, *lists in candidates.group_by("row", maintain_order=True).agg(*columns).iter_rows():
        yield from _find_replaceable_in_text(
            row, texts[row], [Token(*one) for one in zip(*lists, strict=True)], which, wordnet
        )


def _find_replaceable_in_text(
    row: int, text: str, tokens: list[Token], which: Which, wordnet: WordNet
) -> Iterator[ReplaceableWord]:
    position = 0
    for sentence in split_token_sentences(tokens):
        plain: bool | None = None
        for at, token in enumerate(sentence):
            known = look_up_antonyms(token.lower, token.tag, which, wordnet) if token.tag in TAGS else None
            if known is None:
                continue
            plain = is_plain_assertion(sentence) if plain is None else plain
            fitting = _filter_fitting_antonyms(known.entries, sentence, at, wordnet) if plain else []
            if not fitting or not _is_definite_assertion(text, sentence, at, wordnet):
                continue
            around = list_context_words((other.text for other in tokens), token.lower)
            synset, reaching = choose_sense(known, around, wordnet)
            entries = [
                one
                for one in fitting
                if one in reaching and not _clashes_with_text(one, tokens, token, wordnet)
            ]
            if entries:
                before = sentence[at - 1] if at else None
                yield ReplaceableWord(
                    row, position + at, synset.key, token, before, _get_next_word(sentence, at), entries
                )
        position += len(sentence)


def _is_definite_assertion(text: str, sentence: Sequence[Token], at: int, wordnet: WordNet) -> bool:
    """Return whether what the sentence says with a word is asserted of one definite thing."""
    asserted = (
        is_in_plain_clause(sentence, at)
        and is_in_main_clause(sentence, at)
        and not is_after_count(sentence, at)
    )
    return asserted and _stands_alone(text, sentence, at, wordnet)


def _filter_fitting_antonyms(
    entries: Sequence[Antonym], sentence: Sequence[Token], at: int, wordnet: WordNet
) -> list[Antonym]:
    """Keep the entries that are good where the word stands; one may have a small door, and a large one."""
    find = find_noun_frame if TAGS[sentence[at].tag] == "n" else find_adjective_frame
    frame = find(sentence, at)
    after = _get_next_word(sentence, at)
    if frame is None or (frame == "have" and _names_concrete_thing(sentence[at + 1 :], wordnet)):
        return []
    return [one for one in entries if one.fits_frame(frame, after)]


def _get_next_word(sentence: Sequence[Token], at: int) -> str:
    return sentence[at + 1].lower if at + 1 < len(sentence) else ""


def _names_concrete_thing(after: Sequence[Token], wordnet: WordNet) -> bool:
    """Return whether a thing that one may have two of follows, by itself or in a compound: a door, a swimming pool."""
    named = takewhile(lambda token: token.tag in _IN_COMPOUND, after)
    senses = (wordnet.synsets(token.lower, "n") for token in named)
    return any(synsets and synsets[0].lexfile in _CONCRETE for synsets in senses)


def _stands_alone(text: str, sentence: Sequence[Token], at: int, wordnet: WordNet) -> bool:
    """Return whether a word is unquoted and not tied to a neighbour, by a hyphen or in a set phrase of WordNet."""
    token = sentence[at]
    left, right = text[token.start - 1 : token.start], text[token.end : token.end + 1]
    if left in _TIES or left in _QUOTES or right in _TIES:
        return False
    near = (sentence[at - 1].lower if at else "", _get_next_word(sentence, at))
    phrases = (f"{near[0]}_{token.lower}", f"{near[0]}-{token.lower}", f"{token.lower}_{near[1]}")
    return not any(wordnet.has(phrase, pos) for phrase in phrases for pos in ("n", "a"))


def _clashes_with_text(entry: Antonym, tokens: Sequence[Token], token: Token, wordnet: WordNet) -> bool:
    """Return whether the text has the antonym already, as in old and new, the word twice, or what agrees with it."""
    form = _inflect_antonym(entry, token, wordnet)
    words = [other.lower for other in tokens]
    return (
        form in words
        or entry.antonym in words
        or words.count(token.lower) > 1
        or not entry.not_with.isdisjoint(words)
    )


def _inflect_antonym(entry: Antonym, token: Token, wordnet: WordNet) -> str:
    """Inflect the antonym to the number or degree of the word."""
    if is_plural(token.tag):
        return pluralise(entry.antonym, wordnet)
    return entry.antonym if entry.lemma == token.lower else inflect_degree(entry.antonym, token.tag)


def _make_edit_row(text: str, word: ReplaceableWord, entry: Antonym, wordnet: WordNet) -> tuple[object, ...]:
    """Return the edit: the word, and the article before it if the new word needs the other one."""
    token, start = word.token, word.token.start
    form = _inflect_antonym(entry, token, wordnet)
    new = copy_case(token.text, form)
    before = word.before
    if before is not None and _needs_other_article(before.lower, form, word.after):
        start = before.start
        new_article = copy_case(
            token.text if len(token.text) > 1 and token.text.isupper() else before.text, choose_article(form)
        )
        new = f"{new_article}{text[before.end : token.start]}{new}"
    tags = (token.lower, form, word.synset, entry.kind, word.position, _SUBCASES[TAGS[token.tag]])
    return (word.row, start, text[start : token.end], new, *tags)


def _needs_other_article(before: str, form: str, after: str) -> bool:
    """Return whether a word wants a or an, and another article stands before it."""
    indefinite = before in ("a", "an") or (before == "the" and form == _SHARE and after == "of")
    return indefinite and before != choose_article(form)
