"""Is an NLI model right for the right reasons? Generate challenge sets, run models, score, report.

The names below are imported on first use, so that importing the package is fast.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # known to type checkers; to load typing takes longer than all the rest of a start
if TYPE_CHECKING:
    from typing import Any

    from rightreasons import nets
    from rightreasons.api import (
        analyse_study,
        audit,
        compare,
        evaluate,
        generate,
        leaderboard,
        plan,
        plan_study,
        predict,
        recognise,
        report,
        score,
        score_against_people,
        train,
    )
    from rightreasons.core.errors import (
        InputError,
        MissingPredictionsError,
        OutputError,
        RightReasonsError,
        TooFewPairsError,
        UnknownNameError,
    )
    from rightreasons.core.pairs import Card, ChallengeSet
    from rightreasons.corpora import read_corpus, read_pairs, read_texts, write_pairs

__version__ = "0.5.0"

__all__ = [
    "Card",
    "ChallengeSet",
    "InputError",
    "MissingPredictionsError",
    "OutputError",
    "RightReasonsError",
    "TooFewPairsError",
    "UnknownNameError",
    "__version__",
    "analyse_study",
    "audit",
    "compare",
    "evaluate",
    "generate",
    "leaderboard",
    "nets",
    "plan",
    "plan_study",
    "predict",
    "read_corpus",
    "read_pairs",
    "read_texts",
    "recognise",
    "report",
    "score",
    "score_against_people",
    "train",
    "write_pairs",
]

_HOMES = {
    "Card": "core.pairs",
    "ChallengeSet": "core.pairs",
    "InputError": "core.errors",
    "MissingPredictionsError": "core.errors",
    "OutputError": "core.errors",
    "RightReasonsError": "core.errors",
    "TooFewPairsError": "core.errors",
    "UnknownNameError": "core.errors",
    "analyse_study": "api",
    "audit": "api",
    "compare": "api",
    "evaluate": "api",
    "generate": "api",
    "leaderboard": "api",
    "plan": "api",
    "plan_study": "api",
    "predict": "api",
    "read_corpus": "corpora",
    "read_pairs": "corpora",
    "read_texts": "corpora",
    "recognise": "api",
    "report": "api",
    "score": "api",
    "score_against_people": "api",
    "train": "api",
    "write_pairs": "corpora",
}


_PACKAGES = ("nets",)  # that are public as a whole


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name in _PACKAGES:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
