"""How a set was made, in words and as a command, for those who read of it elsewhere."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rightreasons.core import registry
from rightreasons.corpora.reading import CHANGED

if TYPE_CHECKING:
    from rightreasons.core.pairs import Card

MIT = "mit"
UNKNOWN = "unknown"
# The corpus in the package, whose sentences were all written for it.
_POCKET = ["pocket"]
_RELEASED = "hans-released"
_FLAGS = ("size", "limit", "seed", "split")


def command(card: Card, given: str) -> str | None:
    """Say which command makes the set again, or None where that is not known."""
    maker = _maker(card, given)
    if maker is None:
        return None
    words = ["rightreasons", "generate", maker]
    for key, value in card.options.items():
        if value is None:
            continue
        if key in _FLAGS:
            words += [f"--{key}", str(value)]
        elif key == "corpus":
            words += [word for one in value for word in ("--corpus", str(one))]
        else:
            words += ["-o", f"{key}={_shown(value)}"]
    return shlex.join([*words, "--out", "pairs.parquet"])


def licence(card: Card, given: str) -> str:
    """Name the licence of the pairs as far as it is known: of our own sentences, and of no one else's."""
    maker = _maker(card, given)
    if maker not in registry.SETS or card.options.get("hypotheses") is not None:
        return UNKNOWN
    ours = not card.sources or maker == _RELEASED or card.options.get("corpus") == _POCKET
    return MIT if ours else UNKNOWN


def licence_words(card: Card, given: str) -> str:
    """Say in one sentence what is known of the licence."""
    if licence(card, given) == UNKNOWN:
        return "Its licence is not known here: that of the sources holds for the pairs."
    if card.set.startswith("hans"):
        return "MIT, as HANS is, whose words and templates the pairs follow."
    return "MIT: its sentences were written for rightreasons."


def _maker(card: Card, given: str) -> str | None:
    """Name the set, or the template file, that made the pairs; a file of pairs may say it on its card."""
    if not card.options or CHANGED in card.remarks:
        return None
    if registry.is_template_file(given):
        return given
    return card.set if registry.is_set_name(card.set) else None


def _shown(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
