"""Is an NLI model right for the right reasons? Make challenge sets, ask models, score, report.

The names below are loaded on first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # known to type checkers; to load typing takes longer than all the rest of a start
if TYPE_CHECKING:
    from typing import Any

    from rightreasons import nets
    from rightreasons.comparing import compare
    from rightreasons.corpora import read_corpus, read_pairs, read_texts, write_pairs
    from rightreasons.errors import (
        InputError,
        OutputError,
        RightReasonsError,
        TooFewPairsError,
        UnknownNameError,
    )
    from rightreasons.evaluation import evaluate
    from rightreasons.leaderboards import leaderboard
    from rightreasons.pairs import Card, ChallengeSet
    from rightreasons.reporting import report
    from rightreasons.training import train
    from rightreasons.verbs import generate, plan, predict, recognise, score

__version__ = "0.5.0"

__all__ = [
    "Card",
    "ChallengeSet",
    "InputError",
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
    "Card": "pairs",
    "ChallengeSet": "pairs",
    "InputError": "errors",
    "OutputError": "errors",
    "RightReasonsError": "errors",
    "TooFewPairsError": "errors",
    "UnknownNameError": "errors",
    "compare": "comparing",
    "evaluate": "evaluation",
    "generate": "verbs",
    "leaderboard": "leaderboards",
    "plan": "verbs",
    "predict": "verbs",
    "read_corpus": "corpora",
    "read_pairs": "corpora",
    "read_texts": "corpora",
    "recognise": "verbs",
    "report": "reporting",
    "score": "verbs",
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
