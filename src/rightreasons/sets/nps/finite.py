"""What the finite verb of a clause shows: whether it is one, agrees with its subject, and could be an infinitive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.language.wordnet import wordnet
from rightreasons.sets.nps.phrases import PLURAL

if TYPE_CHECKING:
    from rightreasons.sets.nps.phrases import Clause

_FINITE = ("VBD", "VBP", "VBZ", "MD")
# Right after a noun these belong to it, not to the verb: a trade off, a run down, a check in.
_PARTICLES = ("off", "out", "up", "down", "in", "on", "over", "back", "away", "by", "through", "about")
# Verbs whose past looks like their infinitive; with all others that tag is a slip: "a cat awake at night".
_UNCHANGED = frozenset(
    """
    bet bid broadcast burst cast cost cut fit forecast hit hurt knit let put quit read rid set shed shut slit split
    spread thrust upset wed wet
    """.split()  # noqa: SIM905 - words read best as text
)


def has_a_verb(clause: Clause) -> bool:
    """Tell whether what the parser took for a finite verb can be one, and follows the whole subject.

    A contraction is none: "this month's offer" is no clause about a month.
    """
    word, tag = clause.verb
    if clause.predicate[0][0].lower() in _PARTICLES or tag not in _FINITE:
        return False
    forms = wordnet().base_forms(word, "v")
    return tag == "MD" or (bool(forms) and (tag != "VBD" or forms != [word] or word in _UNCHANGED))


def may_be_infinitive(clause: Clause) -> bool:
    """Tell whether the verb has the form of an infinitive: the dogs play, the carpenters saw wood."""
    word, tag = clause.verb
    return tag != "MD" and word in wordnet().base_forms(word, "v")


def agrees(clause: Clause) -> bool:
    """Tell whether verb and subject agree in number; where they don't, the parse or the sentence is wrong."""
    word, tag = clause.verb
    plural = clause.subject.head_tag in PLURAL
    if word in ("was", "is", "has") or tag == "VBZ":
        return not plural
    if word in ("were", "are", "have") or tag == "VBP":
        return plural or clause.subject.noun == "people"
    return tag in ("VBD", "MD")
