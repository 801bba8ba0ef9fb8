"""What the tests of exports share: a small run, and the interpreter that has the other tools."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import rightreasons

LIMIT = 60
SETS = "hans,stress/numerical,nps"
# A Python with lm-eval, inspect-ai, mlflow-skinny, sqlalchemy, alembic, wandb, and what rightreasons itself needs.
ECOSYSTEM = "RIGHTREASONS_ECOSYSTEM"


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a run of two models on three sets, of two and of three labels."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    models = ["rules:subsequence", "constant"]
    rightreasons.evaluate(models, sets=SETS, limit=LIMIT, out=folder, baselines=False)
    return folder


@pytest.fixture(scope="session")
def ecosystem() -> Path:
    """Find the interpreter that has the other tools, or skip visibly; where CI runs it must be there."""
    named = os.environ.get(ECOSYSTEM)
    if named is None:
        if "CI" in os.environ:
            pytest.fail(f"{ECOSYSTEM} must name a Python with the other tools where CI runs")
        pytest.skip(f"{ECOSYSTEM} names no Python with lm-eval, Inspect, MLflow and W&B (make ecosystem)")
    return Path(named)
