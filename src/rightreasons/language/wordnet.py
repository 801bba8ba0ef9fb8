"""WordNet 3.0: words, their senses in the order of frequency, antonyms, and base forms.

from rightreasons.language.wordnet import wordnet
wordnet().synsets("hot", "a")[0].antonyms_of("hot")
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from rightreasons.language.wordnet_index import PARTS, compile_index, find_dict_folder, load_shipped_index

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from rightreasons.language.wordnet_index import Index

# The lexicographers' files by number.
LONGEST_FORM = 100  # letters: the longest lemma has 71
LEXFILES = (
    *(
        "adj.all",
        "adj.pert",
        "adv.all",
        "noun.Tops",
        "noun.act",
        "noun.animal",
        "noun.artifact",
        "noun.attribute",
    ),
    *(
        "noun.body",
        "noun.cognition",
        "noun.communication",
        "noun.event",
        "noun.feeling",
        "noun.food",
        "noun.group",
    ),
    *("noun.location", "noun.motive", "noun.object", "noun.person", "noun.phenomenon", "noun.plant"),
    *("noun.possession", "noun.process", "noun.quantity", "noun.relation", "noun.shape", "noun.state"),
    *("noun.substance", "noun.time", "verb.body", "verb.change", "verb.cognition", "verb.communication"),
    *("verb.competition", "verb.consumption", "verb.contact", "verb.creation", "verb.emotion", "verb.motion"),
    *("verb.perception", "verb.possession", "verb.social", "verb.stative", "verb.weather", "adj.ppl"),
)
_ENDINGS = {
    "n": (
        *(("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch")),
        *(("shes", "sh"), ("men", "man"), ("ies", "y")),
    ),
    "v": (
        *(("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", "")),
        *(("ing", "e"), ("ing", "")),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}


@dataclass(frozen=True, slots=True)
class Synset:
    """One sense, with all words that have it; pos is n, v, a (head adjective), s (satellite) or r."""

    offset: int
    pos: str
    lexfile: str
    lemmas: tuple[str, ...]
    gloss: str
    antonyms: tuple[tuple[str, str, int], ...]  # a lemma of this synset, its antonym, the antonym's row
    similar: tuple[int, ...]  # rows: of a satellite its heads, of a head its satellites
    is_instance: bool
    row: int

    @property
    def key(self) -> str:
        """Name the synset by offset and part of speech."""
        return f"{self.offset:08}-{self.pos}"

    @property
    def definition(self) -> str:
        """Return the gloss without its examples."""
        return "; ".join(part for part in self._split_gloss() if not part.startswith('"'))

    @property
    def examples(self) -> tuple[str, ...]:
        """Return the examples of the gloss."""
        return tuple(part.strip('"') for part in self._split_gloss() if part.startswith('"'))

    def antonyms_of(self, lemma: str) -> tuple[str, ...]:
        """List the antonyms that this very lemma has in this sense, in any case of letters."""
        wanted = lemma.lower()
        return tuple(antonym for own, antonym, _ in self.antonyms if own.lower() == wanted)

    def _split_gloss(self) -> list[str]:
        return [part.strip() for part in self.gloss.split(";")]


class WordNet:
    """The index of WordNet; a synset is parsed when it is requested."""

    def __init__(self, index: Index) -> None:
        """Set the index."""
        self._synsets = index.synsets
        self._lemmas = index.lemmas  # sorted; a dict of them would take most of the time to load
        self._irregular: dict[str, dict[str, tuple[str, ...]]] = {part: {} for part in PARTS}
        for line in index.irregular:
            part, form, *lemmas = line.split("\t")
            self._irregular[part][form] = tuple(lemmas)
        self._read: dict[int, Synset] = {}

    def synsets(self, word: str, pos: str | None = None) -> tuple[Synset, ...]:
        """List the senses of a word or of one of its forms: the most frequent first, n before v, a, r."""
        parts = PARTS if pos is None else (_normalise_pos(pos),)
        word = word.lower()
        rows = [
            row
            for part in parts
            for form in self.base_forms(word, part)
            for row in self._get_synset_rows(form, part)
        ]
        synsets = [self.synset(row) for row in rows]
        return tuple(synset for synset in synsets if pos in (None, "a", synset.pos))

    def synset(self, row: int) -> Synset:
        """Return the synset in a row of the index."""
        synset = self._read.get(row)
        if synset is None:
            synset = self._read[row] = _parse_synset(row, self._synsets[row])
        return synset

    def heads(self, synset: Synset) -> tuple[Synset, ...]:
        """List the head adjectives that a satellite stands by; none for all else."""
        near = synset.similar if synset.pos == "s" else ()
        return tuple(head for head in map(self.synset, near) if head.pos == "a")

    def name(self, synset: Synset) -> str:
        """Name a synset by its first lemma, part of speech and number, as dog.n.01."""
        lemma = synset.lemmas[0].lower()
        rows = self._get_synset_rows(lemma, _normalise_pos(synset.pos))
        return f"{lemma}.{synset.pos}.{rows.index(synset.row) + 1:02}"

    def instances(self) -> Iterator[Synset]:
        """Iterate over the synsets of instances, such as towns and people."""
        return (self.synset(row) for row, line in enumerate(self._synsets) if "@i|" in line)

    def all_antonyms(self) -> Iterator[tuple[str, str, str]]:
        """Iterate over the direct antonyms: a lemma, its antonym, and their part of speech."""
        rows = (row for row, line in enumerate(self._synsets) if "!|" in line)
        for synset in map(self.synset, rows):
            for own, other, _ in synset.antonyms:
                yield own.lower(), other.lower(), _normalise_pos(synset.pos)

    def all_lemmas(self) -> Iterator[str]:
        """Iterate over all lemmas, lower case, with underscores for spaces."""
        return (line.partition("\t")[0] for line in self._lemmas)

    def has(self, lemma: str, pos: str) -> bool:
        """Return whether a lemma has a sense of a part of speech."""
        return f"\t{_normalise_pos(pos)} " in self._get_senses_entry(lemma)

    def base_forms(self, form: str, pos: str) -> list[str]:
        """List the lemmas that a form may belong to: itself, then by irregular forms or by endings."""
        part = _normalise_pos(pos)
        if len(form) > LONGEST_FORM:
            return []
        irregular = self._irregular[part].get(form)
        if irregular is not None:
            return self._select_known_forms((form, *irregular), part)
        stripped = _replace_endings([form], part)
        forms = self._select_known_forms((form, *stripped), part)
        while stripped and not forms:
            stripped = _replace_endings(stripped, part)
            forms = self._select_known_forms(stripped, part)
        return forms

    def all_irregular_forms(self) -> Iterator[str]:
        """Iterate over the irregular forms of all lemmas."""
        return (form for part in PARTS for form in self._irregular[part])

    def irregular_forms(self, lemma: str, pos: str) -> list[str]:
        """List the irregular forms of a lemma."""
        return [form for form, lemmas in self._irregular[_normalise_pos(pos)].items() if lemma in lemmas]

    @cached_property
    def irregular_plurals(self) -> dict[str, str]:
        """Map nouns to their irregular plurals, where there is just one."""
        found: dict[str, set[str]] = {}
        for plural, nouns in self._irregular["n"].items():
            for noun in nouns:
                found.setdefault(noun, set()).add(plural)
        return {noun: min(plurals) for noun, plurals in found.items() if len(plurals) == 1}

    def _get_synset_rows(self, lemma: str, part: str) -> list[int]:
        for senses in self._get_senses_entry(lemma).split("\t"):
            if senses.startswith(f"{part} "):
                return [int(row) for row in senses.split(" ")[1:]]
        return []

    def _get_senses_entry(self, lemma: str) -> str:
        """Return the index entry of a lemma: a tab, a part of speech and rows, a tab, and so on."""
        at = bisect_left(self._lemmas, f"{lemma}\t")
        line = self._lemmas[at] if at < len(self._lemmas) else ""
        return line[len(lemma) :] if line.startswith(f"{lemma}\t") else ""

    def _select_known_forms(self, forms: Iterable[str], part: str) -> list[str]:
        return [form for form in dict.fromkeys(forms) if self.has(form, part)]


@lru_cache(maxsize=4)
def wordnet(folder: str | os.PathLike[str] | None = None) -> WordNet:
    """Load WordNet from the package, or from a folder of dict files of the user's own, once in a process."""
    own = find_dict_folder(folder)
    return WordNet(load_shipped_index() if own is None else compile_index(own))


def _parse_synset(row: int, line: str) -> Synset:
    key, lexfile, lemmas, pointers, gloss = line.split("\t", 4)
    fields = [pointer.split("|") for pointer in pointers.split(" ") if pointer]
    return Synset(
        offset=int(key[:8]),
        pos=key[9],
        lexfile=LEXFILES[int(lexfile)],
        lemmas=tuple(lemmas.split(" ")),
        gloss=gloss,
        antonyms=tuple(
            (own, other, int(to)) for symbol, to, *names in fields if symbol == "!" for own, other in [names]
        ),
        similar=tuple(int(to) for symbol, to, *_ in fields if symbol == "&"),
        is_instance=any(symbol == "@i" for symbol, *_ in fields),
        row=row,
    )


def _replace_endings(forms: Iterable[str], part: str) -> list[str]:
    return [form[: -len(old)] + new for form in forms for old, new in _ENDINGS[part] if form.endswith(old)]


def _normalise_pos(pos: str) -> str:
    return "a" if pos == "s" else pos
