"""95% intervals hold the truth in 95 of 100 cases, on average over the grids of the simulation."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import coverage_simulation as simulation
import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable


def test_wilsons_interval_exactly() -> None:
    assert np.mean(simulation.of_wilson()) == pytest.approx(0.95, abs=0.01)


def test_paired_differences() -> None:
    assert np.mean(simulation.of_differences()) == pytest.approx(0.95, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("made", [simulation.of_clusters, simulation.of_clustered_differences])
def test_pairs_that_share_a_group(made: Callable[[], list[float]]) -> None:
    found = made()
    # With few clusters and a share near 0 or 1, Satterthwaite's degrees of freedom make intervals a little too wide.
    assert np.mean(found) == pytest.approx(0.95, abs=0.02)
    assert min(found) > 0.8


@pytest.mark.slow
def test_pairs_that_share_a_group_need_more_than_wilsons_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "CLUSTERS", {**simulation.CLUSTERS, "p": (0.5,), "alike": (1.0,)})
    assert np.mean(simulation.of_clusters()) > 0.92
    monkeypatch.setattr("rightreasons.scoring.clustered_intervals.has_enough_clusters", lambda _: False)
    assert np.mean(simulation.of_clusters()) < 0.85


def benchmark() -> Any:
    path = Path(__file__).parents[2] / "benchmarks" / "interval_coverage.py"
    spec = importlib.util.spec_from_file_location("coverage_benchmark", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("figure", ["accuracies", pytest.param("differences", marks=pytest.mark.slow)])
def test_uneven_mixed_and_crossed_clusters(figure: str) -> None:
    """The grid of the documentation in small: settings in which the interval of single pairs holds far less often."""
    made = benchmark()
    names = (
        "20 premises, log-normal sizes",
        "50 premises, one with a third of the pairs",
        "30 premises of 10, and a group of 2 pairs",
        "20 claims with 20 documents each",
    )
    found = [made.measure(name, 120, getattr(made, figure)) for name in names]
    assert np.mean([one["coverage"] for one in found]) == pytest.approx(0.95, abs=0.02)
    assert min(one["coverage"] for one in found) > 0.91
    assert max(one["plain_coverage"] for one in found) < 0.9
