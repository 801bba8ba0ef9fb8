"""Forms of verbs: the base form of a verb, and which of some verbs a tagged word of a parse is a form of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rightreasons.language.wordnet import wordnet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_BASE_TAGS, _PAST_TAGS = ("VB", "VBP"), ("VBD", "VBN")
# American and British spellings of the same verb.
_SPELLINGS = (("ize", "ise"), ("ise", "ize"), ("yze", "yse"), ("yse", "yze"))


def find_verb_lemma(form: str) -> str | None:
    """Return the base form of a verb, see for saw; None if WordNet has no such verb."""
    forms = wordnet().base_forms(form.lower(), "v")
    # A past tense that is a verb of its own as well, such as saw or felt, is taken as a past tense.
    return next((base for base in forms if base != form.lower()), forms[0] if forms else None)


@dataclass(frozen=True)
class VerbForms:
    """The forms of some verbs: the verb of each word and Penn tag."""

    lemmas: Mapping[tuple[str, str], str]

    @classmethod
    def from_lemmas(cls, lemmas: Iterable[str]) -> VerbForms:
        """List the forms of verbs that are given by their base forms."""
        several = list(lemmas)
        forms: dict[tuple[str, str], str] = {}
        # The past of see comes before the base form saw, so a base form only gets what is left.
        for lemma in several:
            forms |= {(word, tag): lemma for word in _list_inflected_forms(lemma) for tag in _list_tags(word)}
        for lemma in several:
            for base in _list_spellings(lemma):
                for tag in (*_BASE_TAGS, *_PAST_TAGS):  # the past tense of read is read
                    forms.setdefault((base, tag), lemma)
        return cls(forms)

    @property
    def words(self) -> tuple[str, ...]:
        """The forms without their tags, in alphabetical order."""
        return tuple(sorted({word for word, _ in self.lemmas}))

    def get_lemma(self, word: str, tag: str) -> str | None:
        """Return the verb that a tagged word is a form of; None if it is none of these verbs."""
        return self.lemmas.get((word.lower(), tag))


def _list_spellings(lemma: str) -> list[str]:
    return [lemma, *(lemma[: -len(old)] + new for old, new in _SPELLINGS if lemma.endswith(old))]


def _list_tags(word: str) -> tuple[str, ...]:
    """List the Penn tags that an inflected form may have, by its ending."""
    if word.endswith("ing"):
        return ("VBG",)
    return ("VBZ",) if word.endswith("s") else _PAST_TAGS


def _list_inflected_forms(lemma: str) -> Iterator[str]:
    """List the irregular forms of a verb, and the regular ones that WordNet takes for forms of this verb."""
    spellings = _list_spellings(lemma)
    for base in spellings:
        stem = base.removesuffix("e")
        regular = [f"{base}s", f"{base}es", f"{stem}ed", f"{stem}ing", f"{base}ing"]
        regular += [f"{base[:-1]}ies", f"{base[:-1]}ied"] if base.endswith("y") else []
        regular += [f"{base}{base[-1]}ed", f"{base}{base[-1]}ing"]
        yield from (form for form in regular if find_verb_lemma(form) in spellings)
        yield from wordnet().irregular_forms(base, "v")
