"""The models of a run: the requested ones, once for each prompt, and the baselines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from rightreasons.core import registry
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.formatting import make_slugs
from rightreasons.core.parts import complete_model
from rightreasons.evaluation.specification import (
    Options,
    check_flags,
    choose_short_names,
    list_accepted_options,
    list_option_owners,
    select_owned_options,
    select_plain_options,
    shorten_name,
)
from rightreasons.runs.set_results import MAJORITY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.core.parts import Model
    from rightreasons.evaluation.specification import Specification

BASELINES = ("random", "rules:lexical-overlap", "rules:subsequence", "rules:constituent")  # after majority
ALL = "all"
PROMPT = "prompt"


@dataclass(frozen=True)
class ModelEntry:
    """A model of a run; a model with several prompts has one entry for each."""

    name: str
    given: str
    slug: str
    options: dict[str, object]
    part: Model
    baseline: bool
    accepts: frozenset[str] = frozenset()  # options without an owner that go to this model
    prompt: str | None = None
    of: str | None = None
    ready_made: bool = False  # an object with predict instead of a name

    @property
    def is_majority(self) -> bool:
        """Return whether this is the majority baseline, which is computed from the gold labels."""
        return self.baseline and self.given == MAJORITY

    def describe(self) -> dict[str, Any]:
        """Describe the model for the card of a run; files that it reads have their sha256 there."""
        facts = ("name", "given", "slug", "options", "baseline")
        prompt = {"prompt": self.prompt, "of": self.of} if self.prompt else {}
        known = {fact: getattr(self, fact) for fact in facts}
        return known | prompt | {"sources": dict(self.part.sources)}

    def describe_after_run(self, facts_by_set: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Describe the model after a run: what determines its predictions, and facts on the run on each set."""
        facts = {name: dict(of_set) for name, of_set in facts_by_set.items()}
        heads = [of_set.pop("head") for of_set in facts.values() if "head" in of_set]
        card = {**self.describe(), "facts": facts}
        fingerprint = self.part.fingerprint()
        if fingerprint is not None:
            card["fingerprint"] = fingerprint
        if heads:
            warnings = list(heads[0].pop("warnings", ()))
            card |= {"head": heads[0], "warnings": warnings}
        return card


class _MajorityBaseline:
    """Represents the majority baseline in the list of models; its predictions are computed by the scorer."""

    name = MAJORITY

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Return no labels, since a model never sees the gold labels."""
        return pairs.select("id", label=pl.lit(None, dtype=pl.String))


class _ModelRequest(NamedTuple):
    """A model that is to be built: its name, or the model itself, and its options."""

    model: str | Model
    options: Options
    accepts: frozenset[str]
    baseline: bool

    @property
    def given_name(self) -> str:
        return self.model if isinstance(self.model, str) else self.model.name

    def build(self, prompt: str | None = None) -> Model:
        if not isinstance(self.model, str):
            return self.model
        if self.baseline and self.model == MAJORITY:
            return complete_model(_MajorityBaseline())
        return registry.make_model(self.model, self.make_options(prompt))

    def make_options(self, prompt: str | None) -> Options:
        return self.options | ({PROMPT: prompt} if prompt else {})

    def list_prompts(self, prompts: Sequence[str]) -> Sequence[str | None]:
        """List the prompts that the model is run with; None is its default prompt."""
        if not prompts or PROMPT not in self.accepts:
            return (None,)
        if PROMPT in self.options:
            raise InputError(
                f"The prompt of {self.given_name} is given by --prompts and by -o prompt. Remove one."
            )
        return prompts


def build_models(spec: Specification) -> list[ModelEntry]:
    """Build the requested models and then the baselines, each once for each of its prompts."""
    if not spec.models:
        raise InputError("No model was given. Pass at least one.")
    requests = [_make_model_request(model, spec.options, spec.flags) for model in spec.models]
    prompts = _expand_prompt_names(spec.prompts)
    check_flags(spec.flags, {request.given_name: request.accepts for request in requests})
    if prompts and not any(PROMPT in request.accepts for request in requests):
        raise InputError("None of the models accepts a prompt. Remove --prompts.")
    added = [name for name in (MAJORITY, *BASELINES) if spec.baselines and name not in spec.models]
    requests += [
        _ModelRequest(
            name, select_owned_options(spec.options, *list_option_owners(name)), frozenset(), baseline=True
        )
        for name in added
    ]
    return _build_and_name_models(requests, prompts)


def _make_model_request(
    model: str | Model, options: Mapping[str, object], flags: Mapping[str, object]
) -> _ModelRequest:
    """Choose the options of a requested model: flags, plain options that it accepts, options with its name."""
    if not isinstance(model, str):
        return _ModelRequest(model, {}, frozenset(), baseline=False)
    accepts = list_accepted_options(model)
    own = select_owned_options(options, *list_option_owners(model))
    given = {**select_plain_options(flags, accepts), **select_plain_options(options, accepts), **own}
    return _ModelRequest(model, given, accepts, baseline=False)


def _expand_prompt_names(names: Sequence[str]) -> tuple[str, ...]:
    """Check the names of prompts, and replace `all` by those of the package."""
    if not names:
        return ()
    from rightreasons.models.remote.prompts import list_prompts

    known = list_prompts()
    unknown = [name for name in names if name not in (*known, ALL) and not name.endswith(".toml")]
    if unknown:
        raise UnknownNameError("prompt", unknown[0], [*known, ALL])
    return tuple(dict.fromkeys(prompt for name in names for prompt in (known if name == ALL else [name])))


def _build_and_name_models(requests: Sequence[_ModelRequest], prompts: Sequence[str]) -> list[ModelEntry]:
    """Build each model once for each of its prompts, and give all of them distinct names."""
    built = [[(prompt, each.build(prompt)) for prompt in each.list_prompts(prompts)] for each in requests]
    short = [shorten_name(parts[0][1].name) for parts in built]
    bases = choose_short_names([request.given_name for request in requests], short)
    several = [
        (base, request, prompt, part)
        for base, request, parts in zip(bases, requests, built, strict=True)
        for prompt, part in parts
    ]
    names = [f"{base} [{prompt}]" if prompt else base for base, _, prompt, _ in several]
    _share_budget_among_prompts([base for base, *_ in several], [part for *_, part in several])
    return [
        ModelEntry(
            name,
            request.given_name,
            slug,
            request.make_options(prompt),
            part,
            request.baseline,
            request.accepts,
            prompt,
            base,
            ready_made=not isinstance(request.model, str),
        )
        for (base, request, prompt, part), name, slug in zip(several, names, make_slugs(names), strict=True)
    ]


def _share_budget_among_prompts(names: Sequence[str], parts: Sequence[Model]) -> None:
    """Share one budget among all prompts of a model."""
    first: dict[str, Model] = {}
    for name, part in zip(names, parts, strict=True):
        part.share_budget(first.setdefault(name, part))
