"""95% intervals hold the truth in 95 of 100 cases, on average over the grids of the simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    assert np.mean(found) == pytest.approx(0.95, abs=0.01)
    assert min(found) > 0.8


@pytest.mark.slow
def test_pairs_that_share_a_group_need_more_than_wilsons_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "CLUSTERS", {**simulation.CLUSTERS, "p": (0.5,), "alike": (1.0,)})
    assert np.mean(simulation.of_clusters()) > 0.92
    monkeypatch.setattr("rightreasons.scoring.clusters.FEWEST", 10**9)
    assert np.mean(simulation.of_clusters()) < 0.85
