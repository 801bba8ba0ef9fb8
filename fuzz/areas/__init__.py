"""The kinds of input that are fuzzed, one file each; the shares add up to the whole suite."""

from __future__ import annotations

from fuzz.areas import (
    audits,
    commands,
    journals,
    models,
    names,
    pairs,
    predictions,
    replies,
    requests,
    runs,
    templates,
)

_MODULES = (predictions, pairs, templates, runs, names, models, replies, requests, commands, journals, audits)
AREAS = {module.AREA.name: module.AREA for module in _MODULES}
