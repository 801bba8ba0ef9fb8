"""The models of a run: those that were asked for, one for each prompt where there are several, and baselines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rightreasons.core import registry
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.slugs import slugs
from rightreasons.evaluation import steps as verbs
from rightreasons.evaluation.run_spec import naming
from rightreasons.evaluation.run_spec.choices import Options, check_flags, kinds, own, plain, taken_by

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.core.parts import Model

BASELINES = ("majority", "random", "rules:lexical-overlap", "rules:subsequence", "rules:constituent")
ALL = "all"
PROMPT = "prompt"


@dataclass(frozen=True)
class ModelEntry:
    """A model of a run; of a model that is asked with several prompts, there is one for each."""

    name: str
    given: str
    slug: str
    options: dict[str, object]
    part: Model
    baseline: bool
    takes: frozenset[str] = frozenset()  # the options that were looked for among those without an owner
    prompt: str | None = None
    of: str | None = None
    ready_made: bool = False  # an object with predict, and not a name

    def card(self) -> dict[str, Any]:
        """Say what a run's card holds of a model; a file it answers from has its sha256 there, once read."""
        facts = ("name", "given", "slug", "options", "baseline")
        prompt = {"prompt": self.prompt, "of": self.of} if self.prompt else {}
        known = {fact: getattr(self, fact) for fact in facts}
        return known | prompt | {"sources": dict(self.part.sources)}


class _RequestedModel(NamedTuple):
    """A model that is to be made: its name, or the model itself, and what it is given."""

    model: str | Model
    options: Options
    takes: frozenset[str]
    baseline: bool

    @property
    def given(self) -> str:
        return self.model if isinstance(self.model, str) else self.model.name

    def made(self, prompt: str | None = None) -> Model:
        if not isinstance(self.model, str):
            return self.model
        return registry.make_model(self.model, self.with_prompt(prompt))

    def with_prompt(self, prompt: str | None) -> Options:
        return self.options | ({PROMPT: prompt} if prompt else {})

    def prompts(self, named: Sequence[str]) -> Sequence[str | None]:
        """List the prompts that the model is asked with; None is its own."""
        if not named or PROMPT not in self.takes:
            return (None,)
        if PROMPT in self.options:
            raise InputError(
                f"The prompt of {self.given} is given twice: by --prompts and as an option. Leave one out."
            )
        return named


def model_entries(
    models: Sequence[str | Model],
    options: Mapping[str, object],
    *,
    baselines: bool,
    flags: Mapping[str, object] | None = None,
    prompts: str | Sequence[str] = (),
) -> list[ModelEntry]:
    """Make the models that were asked for, then the baselines that were not."""
    if not models:
        raise InputError("No model was given. Name at least one.")
    asked = [_asked(model, options, flags or {}) for model in models]
    named = _prompts(prompts)
    check_flags(flags or {}, {one.given: one.takes for one in asked})
    if named and not any(PROMPT in one.takes for one in asked):
        raise InputError("None of the models takes a prompt. Leave out --prompts.")
    added = [name for name in BASELINES if baselines and name not in models]
    asked += [_RequestedModel(name, own(options, *kinds(name)), frozenset(), baseline=True) for name in added]
    return _entries(asked, named)


def _asked(model: str | Model, options: Mapping[str, object], flags: Mapping[str, object]) -> _RequestedModel:
    """Choose what an asked model is given: flags, plain options that it takes, options with its name."""
    if not isinstance(model, str):
        return _RequestedModel(model, {}, frozenset(), baseline=False)
    takes = taken_by(model)
    given = {**plain(flags, takes), **plain(options, takes), **own(options, *kinds(model))}
    return _RequestedModel(model, given, takes, baseline=False)


def _prompts(prompts: str | Sequence[str]) -> tuple[str, ...]:
    """Read the names of prompts; `all` stands for those in the package."""
    named = verbs.tags(prompts)
    if not named:
        return ()
    from rightreasons.models.remote.prompts import names

    known = names()
    unknown = [name for name in named if name not in (*known, ALL) and not name.endswith(".toml")]
    if unknown:
        raise UnknownNameError("prompt", unknown[0], [*known, ALL])
    return tuple(dict.fromkeys(one for name in named for one in (known if name == ALL else [name])))


def _entries(asked: Sequence[_RequestedModel], prompts: Sequence[str]) -> list[ModelEntry]:
    """Make each model, once for each of its prompts."""
    made = [one.made() for one in asked]
    brief = [naming.short(part.name) for part in made]
    names = naming.names([one.given for one in asked], brief)
    several = [
        (of, one, prompt, one.made(prompt) if prompt else part)
        for of, one, part in zip(names, asked, made, strict=True)
        for prompt in one.prompts(prompts)
    ]
    shown = [f"{of} [{prompt}]" if prompt else of for of, _, prompt, _ in several]
    _share_budgets([of for of, *_ in several], [part for *_, part in several])
    return [
        ModelEntry(
            name,
            one.given,
            slug,
            one.with_prompt(prompt),
            part,
            one.baseline,
            one.takes,
            prompt,
            of,
            ready_made=not isinstance(one.model, str),
        )
        for (of, one, prompt, part), name, slug in zip(several, shown, slugs(shown), strict=True)
    ]


def _share_budgets(names: Sequence[str], parts: Sequence[Model]) -> None:
    """Have one model under several prompts spend out of one budget."""
    first: dict[str, Model] = {}
    for name, part in zip(names, parts, strict=True):
        part.share_budget(first.setdefault(name, part))
