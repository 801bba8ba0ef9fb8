"""Is an NLI model right for the right reasons? Make challenge sets, ask models, score, report.

The names below are loaded on first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # known to type checkers; to load typing takes longer than all the rest of a start
if TYPE_CHECKING:
    from typing import Any

    from rightreasons import nets
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
    from rightreasons.evaluation.compare import compare
    from rightreasons.evaluation.evaluate import evaluate
    from rightreasons.evaluation.steps import generate, plan, predict, recognise, score
    from rightreasons.reports.build import report
    from rightreasons.reports.leaderboard import leaderboard
    from rightreasons.training import train

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
    "compare",
    "evaluate",
    "generate",
    "leaderboard",
    "nets",
    "plan",
    "predict",
    "read_corpus",
    "read_pairs",
    "read_texts",
    "recognise",
    "report",
    "score",
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
    "compare": "evaluation.compare",
    "evaluate": "evaluation.evaluate",
    "generate": "evaluation.steps",
    "leaderboard": "reports.leaderboard",
    "plan": "evaluation.steps",
    "predict": "evaluation.steps",
    "read_corpus": "corpora",
    "read_pairs": "corpora",
    "read_texts": "corpora",
    "recognise": "evaluation.steps",
    "report": "reports.build",
    "score": "evaluation.steps",
    "train": "training",
    "write_pairs": "corpora",
}


_ROOMS = ("nets",)  # that are public as a whole


def __getattr__(name: str) -> Any:
    """Load a public name from its home on first use."""
    if name in _ROOMS:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
