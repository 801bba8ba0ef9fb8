"""A user's own set: word lists and templates in one TOML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rightreasons.core.parts import SetPart
from rightreasons.sets.template_set import Disjoint, Parses, Short, Text, template_plan
from rightreasons.templates.filling import tag_columns
from rightreasons.templates.grammar import load_grammar

if TYPE_CHECKING:
    from rightreasons.templates.grammar import Grammar
    from rightreasons.templates.plan import TemplatePlan
    from rightreasons.templates.recognise import Recogniser


class TemplateFile(SetPart):
    """A set that a TOML file describes."""

    def __init__(
        self,
        path: Path,
        *,
        mode: str | None = None,
        text: Text | None = None,
        parses: Parses = "labelled",
        disjoint: Disjoint = "pair",
        short: Short = "refuse",
    ) -> None:
        """Take the options.

        Args:
            path: the TOML file.
            mode: one of the file's modes, or the file as it stands.
            text: natural or tokenised; the file's own choice if left out.
            parses: none, labelled, or labelled and binary.
            disjoint: what training and evaluation sets must not share; premise refuses templates that can say the same
                premise in two ways.
            short: refuse to give fewer pairs than were asked for, or allow it.
        """
        self.path = Path(path)
        self.mode = mode
        self.text = text
        self.parses = parses
        self.disjoint = disjoint
        self.short = short

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
        return tag_columns(self.grammar)

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TemplatePlan:
        """Plan a sample, once no two templates can yield the same pair."""
        from rightreasons.templates.collisions import check, check_premises

        templates = self.grammar
        check(templates, self.text)
        if self.disjoint == "premise":
            check_premises(templates, self.text)
        path = str(self.path)
        return template_plan(self, templates, {}, size=size, limit=limit, seed=seed, split=split, path=path)

    def recognisers(self) -> list[Recogniser]:
        """Return what finds pairs of this set again."""
        from rightreasons.templates.recognise import Recogniser

        return [Recogniser(self.grammar, self.mode)]
