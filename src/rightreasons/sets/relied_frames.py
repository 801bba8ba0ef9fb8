"""The verbs and frames that the templates of HANS and NP/S rely on."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rightreasons.sets.hans.hans import MODES, load_hans_grammar
from rightreasons.sets.nps.nps import list_lexicon_verbs, load_nps_grammar
from rightreasons.sets.template_frames import list_relied_frames

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.templates.grammar import Grammar

# Verb and frame, with the subcases that rely on them.
ReliedFrames = dict[tuple[str, str], list[str]]


@lru_cache(maxsize=1)
def collect_relied_frames() -> Mapping[str, ReliedFrames]:
    """Collect the verbs and frames that each set relies on, in any of its modes."""
    nps = load_nps_grammar(tuple(list_lexicon_verbs()), controls=True)
    return {
        "hans": _merge_relied_frames([load_hans_grammar(mode) for mode in MODES]),
        "nps": _merge_relied_frames([nps]),
    }


def _merge_relied_frames(grammars: Sequence[Grammar]) -> ReliedFrames:
    merged: ReliedFrames = {}
    for grammar in grammars:
        for key, subcases in list_relied_frames(grammar).items():
            merged[key] = list(dict.fromkeys([*merged.get(key, []), *subcases]))
    return merged
