"""Small sets for the tests of the template engine: written down as TOML, and filled in full."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from rightreasons.templates.filling import Filler
from rightreasons.templates.grammar import Grammar
from rightreasons.templates.toml_document import read_document

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

PLACE = "my-set.toml"
Entry = dict[str, Any]


def template(premise: str, hypothesis: str, name: str = "t", **more: object) -> Entry:
    return {"name": name, "premise": premise, "hypothesis": hypothesis, **more}


def subcase(name: str, *templates: Entry, label: str = "entailment", **tags: str) -> Entry:
    return {"name": name, "label": label, **tags, "templates": list(templates)}


def set_text(
    words: Mapping[str, Any], *subcases: Entry, phrases: Mapping[str, Any] | None = None, **head: object
) -> str:
    """Write a set as TOML, every template on a line of its own."""
    head = {"name": "small", "labels": ["entailment", "neutral", "contradiction"], **head}
    lines = ["[set]", *_keys(head), "", "[words]", *_keys(words), "", "[phrases]", *_keys(phrases or {})]
    for one in subcases:
        lines += ["", "[[subcase]]", *_keys({key: one[key] for key in one if key != "templates"})]
        lines += ["templates = [", *(f"  {_shown(entry)}," for entry in one["templates"]), "]"]
    return "\n".join(lines) + "\n"


def grammar_of(words: Mapping[str, Any], *templates: Entry, **more: Any) -> Grammar:
    """Read a set of one subcase."""
    return read_grammar(set_text(words, subcase("one", *templates), **more))


def read_grammar(text: str, mode: str | None = None) -> Grammar:
    return Grammar(read_document(text, PLACE, mode))


def every_pair(grammar: Grammar, style: str | None = None, parses: str = "none") -> pl.DataFrame:
    """Fill all ranks of all sub-variants that the set uses."""
    used = [variant for variant in grammar.variants if variant.source.weight > 0]
    numbers = [np.full(variant.space.count, variant.number, dtype=np.int16) for variant in used]
    ranks = [np.arange(variant.space.count) for variant in used]
    filler = Filler(grammar, style or grammar.document.text, parses)
    return filler.fill_pairs(np.concatenate(numbers), np.concatenate(ranks))


def _keys(table: Mapping[str, Any]) -> list[str]:
    return [f"{key if key.isidentifier() else _shown(key)} = {_shown(value)}" for key, value in table.items()]


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(_keys(value))} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_shown, value))}]"
    return json.dumps(value, ensure_ascii=False)
