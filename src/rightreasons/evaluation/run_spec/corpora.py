"""Which of the corpora of a run a set is made from: corpora that were given names go only where they fit."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, NamedTuple

from rightreasons.core import registry
from rightreasons.core.errors import InputError
from rightreasons.core.parts import SetPart, get_class_hook
from rightreasons.evaluation import steps as verbs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rightreasons.corpora.texts import CorpusKind
    from rightreasons.evaluation.run_spec.choices import Options

CORPUS = "corpus"
_WORDS: dict[CorpusKind, str] = {
    "texts": "word problems or other texts",
    "pairs": "pairs",
    "parses": "parses",
}


class Settled(NamedTuple):
    """The options of a set, and what is remarked on.

    If the corpora turn out to give no pair, the set is made from its own and `spare` is remarked on; without it, that
    is an error.
    """

    options: Options
    remarks: tuple[str, ...] = ()
    spare: str | None = None


class RunCorpora:
    """The corpora of a run, of which some may be named: mnli=FILE."""

    def __init__(self, given: object) -> None:
        """Take the value of the option corpus, if there is one."""
        from rightreasons.corpora.corpus_source import split_own_name

        self.given = given
        listed = given if isinstance(given, str | tuple | list) else ()
        self.all = verbs.tags(listed)
        self.named = {corpus: name for corpus in self.all if (name := split_own_name(corpus)[0])}
        self.used: set[str] = set()
        self._kinds: dict[str, CorpusKind] = {}

    def settled(self, set_name: str, options: Options, *, by_pattern: bool) -> Settled:
        """Leave a set the corpora that fit it; where none does it is made from its own, which is remarked on.

        A corpus without a name fits every set; only where a pattern stands for the set may it turn out not to.
        """
        if not self.all or options.get(CORPUS) is not self.given:
            return Settled(options)
        part = registry.set_class(set_name)
        wanted: CorpusKind = get_class_hook(part, "reads", SetPart)
        instead = _instead(part)
        fitting = tuple(
            corpus for corpus in self.all if corpus not in self.named or self._fits(corpus, wanted)
        )
        self.used.update(fitting)
        if not fitting:
            remark = f"{_said(list(self.named.values()), 'has', 'have')} no {_WORDS[wanted]}: {instead}"
            return Settled(without(options), (remark,))
        names = [self.named.get(corpus, corpus) for corpus in fitting]
        spare = f"{_said(names, 'gives', 'give')} no pair: {instead}" if self.named or by_pattern else None
        return Settled({**options, CORPUS: fitting} if self.named else options, spare=spare)

    def check_used(self) -> None:
        """Refuse a named corpus that no set of the run is made from."""
        for corpus in self.named:
            if corpus not in self.used:
                raise InputError(f"No set of this run can be made from the corpus {corpus}. Leave it out.")

    def _fits(self, corpus: str, wanted: CorpusKind) -> bool:
        from rightreasons.corpora.texts import detect_kind

        if corpus not in self._kinds:
            self._kinds[corpus] = detect_kind(corpus)
        kind = self._kinds[corpus]
        return kind == wanted or (wanted == "pairs" and kind == "parses")


def without(options: Options) -> Options:
    """Leave out the corpora."""
    return {key: value for key, value in options.items() if key != CORPUS}


def _instead(part: Callable[..., object]) -> str:
    """Say what a set is made from where no corpus is given."""
    own = inspect.signature(part).parameters[CORPUS].default
    return f"the set was made {f'from the {own[0]} corpus instead' if own else 'without a corpus'}."


def _said(names: Sequence[str], one: str, more: str) -> str:
    return f"The corpus {names[0]} {one}" if len(names) == 1 else f"The corpora {', '.join(names)} {more}"
