"""A user's own set: word lists and templates in one TOML file."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from pathlib import Path  # noqa: TC003 - options are read from it
from typing import TYPE_CHECKING

from rightreasons.core.options import option
from rightreasons.core.parts import SetPart
from rightreasons.sets.corpus_set import SHORT_HELP, Short
from rightreasons.sets.template_set import (
    DISJOINT_HELP,
    PARSES_HELP,
    TEXT_HELP,
    Disjoint,
    Parses,
    Text,
    plan_template_set,
)
from rightreasons.templates.filling import list_tag_columns
from rightreasons.templates.grammar import load_grammar

if TYPE_CHECKING:
    from rightreasons.templates.grammar import Grammar
    from rightreasons.templates.plan import TemplatePlan
    from rightreasons.templates.recognise import Recogniser


@dataclass(frozen=True)
class TemplateFile(SetPart):
    """A set that a TOML file describes."""

    path: Path = option(help="TOML file with the templates.")
    _: KW_ONLY
    mode: str | None = option(None, help="One of the modes in the file. Default: the file without a mode.")
    disjoint: Disjoint = option("pair", help=DISJOINT_HELP)
    text: Text | None = option(None, help=TEXT_HELP)
    parses: Parses = option("labelled", help=PARSES_HELP)
    short: Short = option("refuse", help=SHORT_HELP)

    @property
    def grammar(self) -> Grammar:
        """Return the file's templates; a file that has changed is read again."""
        return load_grammar(self.path, self.mode)

    @property
    def name(self) -> str:
        """Return the name that the file gives its set."""
        return self.grammar.document.name

    @property
    def version(self) -> int:
        """Return the version that the file gives its set."""
        return self.grammar.document.version

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels of the set."""
        return self.grammar.document.labels

    @property
    def description(self) -> str:
        """Return what the file says about its set, nothing if it says nothing."""
        return self.grammar.document.description

    @property
    def tags(self) -> tuple[str, ...]:
        """Name the columns of the set's pairs that are tags."""
        return list_tag_columns(self.grammar)

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TemplatePlan:
        """Plan a sample, once no two templates can yield the same pair."""
        from rightreasons.templates.collisions import check_collisions, check_shared_premises

        templates = self.grammar
        check_collisions(templates, self.text)
        if self.disjoint == "premise":
            check_shared_premises(templates, self.text)
        return plan_template_set(self, templates, {}, size=size, limit=limit, seed=seed, split=split)

    def recognisers(self) -> list[Recogniser]:
        """Return what finds pairs of this set again."""
        from rightreasons.templates.recognise import Recogniser

        return [Recogniser(self.grammar, self.mode)]
