"""Controls: pairs whose label nobody who reads them gets wrong, to recognise careless participants.

As in the human study of HANS, the hypothesis repeats the premise, or negates it. The words are those of HANS; only
words that occur in the premises of the study are used, if there are enough of them, so that controls look like items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.keyed_random import derive_numbers, draw_numbers, scale_to_range
from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NON_ENTAILMENT, TWO_LABELS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

IDENTITY, NEGATION = "identity", "negation"
_PLURALS = {
    noun: f"{noun.removesuffix('y')}ies" if noun.endswith("y") else f"{noun}s"
    for noun in (
        *(
            "professor",
            "student",
            "president",
            "judge",
            "senator",
            "secretary",
            "doctor",
            "lawyer",
            "scientist",
        ),
        *("banker", "tourist", "manager", "artist", "author", "actor", "athlete"),
    )
}
_VERBS = {
    "recommended": "recommend",
    "called": "call",
    "helped": "help",
    "supported": "support",
    "contacted": "contact",
    "avoided": "avoid",
    "advised": "advise",
    "saw": "see",
    "stopped": "stop",
    "introduced": "introduce",
    "mentioned": "mention",
    "encouraged": "encourage",
    "thanked": "thank",
    "recognized": "recognize",
    "admired": "admire",
}
_FEW_NOUNS, _FEW_VERBS = 6, 4  # with fewer words from the premises, all words are used
_FULL_STOP = r"\s\.$"


def make_controls(
    pairs: pl.DataFrame, *, identity: int, negation: int, labels: Sequence[str], seed: int
) -> pl.DataFrame:
    """Make so many controls of each kind: premise, hypothesis, label, stratum.

    `labels` are those that participants choose from. No control is equal to a pair.
    """
    wanted = {IDENTITY: identity, NEGATION: negation}
    contradicted = NON_ENTAILMENT if set(labels) <= set(TWO_LABELS) else CONTRADICTION
    gold = {IDENTITY: ENTAILMENT, NEGATION: contradicted}
    taken = set(pairs.select("premise", "hypothesis").iter_rows())
    tokenised = int(pairs["premise"].str.contains(_FULL_STOP).sum())
    stop = " ." if 2 * tokenised > pairs.height else "."
    rows: list[tuple[str, str, str, str]] = []
    sentences = _generate_sentences(pairs["premise"], seed)
    for kind, count in wanted.items():
        left = count
        while left:
            plain, negated = next(sentences)
            control = (plain + stop, (plain if kind == IDENTITY else negated) + stop)
            if control not in taken:
                rows.append((*control, gold[kind], kind))
                left -= 1
    schema = dict.fromkeys(("premise", "hypothesis", "label", "stratum"), pl.String())
    return pl.DataFrame(rows, schema=schema, orient="row")


def _generate_sentences(premises: pl.Series, seed: int) -> Iterator[tuple[str, str]]:
    """Generate distinct sentences in random order, each with its negation."""
    nouns, verbs = _choose_words(premises)
    subjects = np.arange(len(nouns) * len(verbs) * len(nouns))
    keys = derive_numbers(draw_numbers(["sentences"], "study-controls", seed), subjects)
    plural = scale_to_range(derive_numbers(keys, 1), 2), scale_to_range(derive_numbers(keys, 2), 2)
    for number in np.argsort(keys, kind="stable").tolist():
        rest, last = divmod(number, len(nouns))
        first, verb = divmod(rest, len(verbs))
        if first == last:
            continue
        subject, target = (
            _PLURALS[noun] if many[number] else noun
            for noun, many in zip((nouns[first], nouns[last]), plural, strict=True)
        )
        past = verbs[verb]
        yield f"The {subject} {past} the {target}", f"The {subject} did not {_VERBS[past]} the {target}"
    raise InputError(
        "The study needs more controls than there are sentences for them. Lower the counts of controls in the protocol."
    )


def _choose_words(premises: pl.Series) -> tuple[list[str], list[str]]:
    """Choose the nouns and verbs that occur in the premises, or all if there are few."""
    words = set(premises.str.to_lowercase().str.extract_all(r"\w+").explode().unique().drop_nulls())
    nouns = [noun for noun in _PLURALS if words & {noun, _PLURALS[noun]}]
    verbs = [verb for verb in _VERBS if verb in words]
    if len(nouns) < _FEW_NOUNS or len(verbs) < _FEW_VERBS:
        return list(_PLURALS), list(_VERBS)
    return nouns, verbs
