"""Which of the corpora of a run a set is made from: corpora that were given names go only where they fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons import registry, verbs
from rightreasons.errors import InputError
from rightreasons.sets.corpus_set import reads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.corpora.kinds import Kind
    from rightreasons.recipes.choices import Options

_WORDS: dict[Kind, str] = {"texts": "word problems or other texts", "pairs": "pairs", "parses": "parses"}


class Corpora:
    """The corpora of a run, of which some may be named: mnli=FILE."""

    def __init__(self, given: object) -> None:
        """Take the value of the option corpus, if there is one."""
        from rightreasons.corpora.sources import own_name

        self.given = given
        listed = given if isinstance(given, str | tuple | list) else ()
        self.all = verbs.tags(listed)
        self.named = {corpus: name for corpus in self.all if (name := own_name(corpus)[0])}
        self.used: set[str] = set()
        self._kinds: dict[str, Kind] = {}

    def settled(self, set_name: str, options: Options) -> tuple[Options, tuple[str, ...]]:
        """Leave a set the corpora that fit it; where none does it is made from its own, which is remarked on."""
        if not self.named or options.get("corpus") is not self.given:
            return options, ()
        wanted = reads(registry.set_class(set_name))
        fitting = tuple(
            corpus for corpus in self.all if corpus not in self.named or self._fits(corpus, wanted)
        )
        self.used.update(fitting)
        if fitting:
            return {**options, "corpus": fitting}, ()
        rest = {key: value for key, value in options.items() if key != "corpus"}
        return rest, (f"{_said(list(self.named.values()))} no {_WORDS[wanted]}: the set was made without.",)

    def check_used(self) -> None:
        """Refuse a named corpus that no set of the run is made from."""
        for corpus in self.named:
            if corpus not in self.used:
                raise InputError(f"No set of this run can be made from the corpus {corpus}. Leave it out.")

    def _fits(self, corpus: str, wanted: Kind) -> bool:
        from rightreasons.corpora.kinds import kind_of

        if corpus not in self._kinds:
            self._kinds[corpus] = kind_of(corpus)
        kind = self._kinds[corpus]
        return kind == wanted or (wanted == "pairs" and kind == "parses")


def _said(names: Sequence[str]) -> str:
    return f"The corpus {names[0]} has" if len(names) == 1 else f"The corpora {', '.join(names)} have"
