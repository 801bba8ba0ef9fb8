"""Pairs for a language model behind a scripted endpoint, and that model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core import registry
from rightreasons.inference import predict_pairs

if TYPE_CHECKING:
    from scripted_server import Server

SECRET = "sk-not-to-be-seen-0123456789"
WORDS = ("True", "Neither", "False")
KEYS = ("RIGHTREASONS_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL")


def some_pairs(count: int = 3) -> pl.DataFrame:
    numbers = range(count)
    return pl.DataFrame(
        {
            "id": [f"p{number}" for number in numbers],
            "premise": [f"The {number} dogs {{ran}}." for number in numbers],
            "hypothesis": [f"Some {number} ran." for number in numbers],
        }
    )


def model(server: Server, **options: Any) -> Any:
    quick = {"backoff": 0.001, "timeout": 5.0, "retries": 2}
    return registry.make_model(f"openai:tiny@{server.url}/v1", {**quick, **options})


def answers(server: Server, count: int = 3, **options: Any) -> pl.DataFrame:
    return predict_pairs(model(server, **options), some_pairs(count)).predictions
