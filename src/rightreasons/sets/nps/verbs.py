"""Verbs that take a noun phrase or a clause: their forms, and where the two readings are too close to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rightreasons.core.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Sequence

PAPER = ("heard", "believed", "felt", "claimed")
# Who heard a noise was loud heard the noise: with these objects the hypothesis would follow, or nearly.
_SOUNDS = (
    "noise noises sound sounds music voice voices footsteps scream cry shot shots shout ring bang news answer name "
    "names"
)
_SENSATIONS = (
    "pain heat cold warmth breeze wind sensation urge need desire sense effect effects fear tension thickness pressure "
    "pull push touch blow burden lack throbbing"
)
_CONTENTS = (
    "answer answers truth reason reasons problem problems fact facts cost costs price prices need needs difference "
    "importance risk risks name names purpose meaning situation position way level behavior cause words value rules "
    "solution danger limits consequences conflict conflicts ailments difficulty issue issues lesson lessons fate "
    "effect effects"
)
# Who read an article says so read the article: the reader takes the clause for a relative one.
_SAYING = (
    "say says said state states stated doubt doubts doubted claim claims claimed argue argues argued talk talks talked "
    "discuss discusses discussed report reports reported explain explains explained show shows showed suggest suggests "
    "suggested propose proposes proposed describe describes described tell tells told predict predicts predicted "
    "examine examines examined deplore deplores deplored promote promotes promoted include includes included contain "
    "contains contained cover covers covered compare compares compared"
)
_OWNERS = "his hers theirs mine ours yours belong belongs belonged"
# After these a bare infinitive can look like a clause.
_PERCEPTION = frozenset({"see", "notice", "watch", "observe", "find", "witness", "spot", "sense", "smell"})


@dataclass(frozen=True)
class Verb:
    """A verb by its past tense: all its forms, nouns that may not be its object, words that its clause may not have.

    Who heard the dogs play heard the dogs: a verb that perceives takes an infinitive that can look like a clause.
    """

    past: str
    forms: frozenset[str]
    not_of: frozenset[str] = frozenset()
    not_with: frozenset[str] = frozenset()
    perceives: bool = False


def _make_verb(
    forms: str, past: str, not_of: str = "", not_with: str = "", *, perceives: bool = False
) -> Verb:
    return Verb(
        past, frozenset(forms.split()), frozenset(not_of.split()), frozenset(not_with.split()), perceives
    )


# Left out: verbs whose clause brings its noun phrase along (saw, noticed, found, remembered, mentioned, reported,
# acknowledged, denied, doubted, proved): who mentioned the man was tall mentioned the man.
VERBS = {
    verb.past: verb
    for verb in (
        _make_verb("hear hears heard hearing", "heard", not_of=_SOUNDS, perceives=True),
        _make_verb("believe believes believed believing", "believed"),
        _make_verb("feel feels felt feeling", "felt", not_of=_SENSATIONS, perceives=True),
        _make_verb("claim claims claimed claiming", "claimed", not_with=_OWNERS),
        _make_verb("know knows knew known knowing", "knew", not_of=_CONTENTS),
        _make_verb("understand understands understood understanding", "understood", not_of=_CONTENTS),
        _make_verb("forget forgets forgot forgotten forgetting", "forgot", not_of=_CONTENTS),
        _make_verb("learn learns learned learnt learning", "learned", not_of=_CONTENTS),
        _make_verb("discover discovers discovered discovering", "discovered", not_of=_CONTENTS),
        _make_verb("read reads reading", "read", not_with=_SAYING),
        _make_verb("write writes wrote written writing", "wrote", not_with=_SAYING),
        _make_verb("accept accepts accepted accepting", "accepted", not_of=_CONTENTS),
        _make_verb("suggest suggests suggested suggesting", "suggested"),
        _make_verb("admit admits admitted admitting", "admitted", not_of=_CONTENTS),
        _make_verb("answer answers answered answering", "answered"),
        _make_verb("maintain maintains maintained maintaining", "maintained"),
        _make_verb("conclude concludes concluded concluding", "concluded"),
        _make_verb("declare declares declared declaring", "declared"),
        _make_verb("decide decides decided deciding", "decided", not_of=_CONTENTS),
        _make_verb("guess guesses guessed guessing", "guessed", not_of=_CONTENTS),
        _make_verb("fear fears feared fearing", "feared"),
        _make_verb("warn warns warned warning", "warned"),
    )
}


def look_up_verbs(names: Sequence[str]) -> list[Verb]:
    """Look up the requested verbs; for a verb that is not listed, take its forms from WordNet."""
    verbs = [
        verb
        for name in names
        for verb in (
            VERBS.values() if name == "all" else [VERBS[name] if name in VERBS else _make_unlisted_verb(name)]
        )
    ]
    return list(dict.fromkeys(verbs))


def _make_unlisted_verb(past: str) -> Verb:
    """Make an unlisted verb from its past tense, without restrictions on its objects and clauses."""
    from rightreasons.language.wordnet import wordnet

    known = wordnet()
    bases = [base for base in known.base_forms(past, "v") if base != past]
    if not bases:
        raise UnknownNameError("verb of nps, in the past tense,", past, VERBS)
    forms = [
        form for base in bases for form in (*_list_regular_forms(base), *known.irregular_forms(base, "v"))
    ]
    return Verb(past, frozenset((past, *forms)), perceives=not _PERCEPTION.isdisjoint(bases))


def _list_regular_forms(base: str) -> list[str]:
    """List the forms that a verb may have by rule; forms that don't exist are harmless."""
    stem = base.removesuffix("e")
    if base.endswith("y") and base[-2:-1] not in "aeiou":
        return [base, f"{base[:-1]}ies", f"{base[:-1]}ied", f"{base}ing"]
    doubled = [f"{base}{base[-1]}ed", f"{base}{base[-1]}ing"]
    return [base, f"{base}s", f"{base}es", f"{stem}ed", f"{stem}ing", f"{base}ing", *doubled]


def choose_lexicon_verbs(names: Sequence[str], known: Sequence[str]) -> list[str]:
    """List the requested verbs by their past tense; "all" stands for all known verbs."""
    chosen: list[str] = []
    for name in names:
        if name != "all" and name not in known:
            raise UnknownNameError("verb of nps", name, known)
        chosen += known if name == "all" else [name]
    return list(dict.fromkeys(chosen))
