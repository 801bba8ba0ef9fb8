"""A model of judgements: participants and items differ, and the stated accuracies hold on average.

A judgement is right if a + participant + item + noise > 0, where all three are normal and the noise has variance 1. Two
judgements of one participant, or of one item, are then correlated, and their correlation decides how much judgements
tell about other participants and items.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri, owens_t
from scipy.stats import norm

from rightreasons.core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MOST = 0.98  # of a correlation: nothing would be left for the noise


@dataclass(frozen=True)
class JudgementSpread:
    """The standard deviations of participants and items on the scale of the noise."""

    participant: float = 0.0
    item: float = 0.0

    @property
    def total(self) -> float:
        """The standard deviation of a single judgement."""
        return sqrt(1 + self.participant**2 + self.item**2)

    def compute_thresholds(self, accuracy: Floats) -> Floats:
        """Compute the a of the model with which a share `accuracy` of judgements is right."""
        return np.asarray(ndtri(accuracy)) * self.total


def compute_joint_accuracy(accuracy: float, correlation: float) -> float:
    """Compute how often two judgements with this correlation are both right."""
    bound = float(ndtri(accuracy))
    return float(norm.cdf(bound) - 2 * owens_t(bound, sqrt((1 - correlation) / (1 + correlation))))


def find_correlation(accuracy: float, joint: float) -> float:
    """Find the correlation with which two judgements are both right as often as `joint`; none below independence."""
    if joint <= accuracy**2:
        return 0.0
    if joint >= compute_joint_accuracy(accuracy, _MOST):
        return _MOST
    return float(brentq(lambda rho: compute_joint_accuracy(accuracy, rho) - joint, 0.0, _MOST))


def convert_correlations(participant: float, item: float) -> JudgementSpread:
    """Convert the correlations of judgements of one participant, and of one item, to standard deviations."""
    rest = max(1 - participant - item, 1 - _MOST)
    return JudgementSpread(sqrt(participant / rest), sqrt(item / rest))


def convert_accuracy_spread(accuracy: float, participants: float, items: float) -> JudgementSpread:
    """Convert standard deviations of the accuracies of participants, and of items, such as 0.1 for 10 points."""
    most = sqrt(accuracy * (1 - accuracy))
    for name, spread in (("participants", participants), ("items", items)):
        if not 0 <= spread < most:
            raise InputError(
                f"The accuracies of {name} can't have a standard deviation of {spread:g}. With an accuracy of "
                f"{accuracy:g}, it is at least 0 and below {most:.2f}."
            )
    found = [find_correlation(accuracy, accuracy**2 + spread**2) for spread in (participants, items)]
    if sum(found) >= _MOST:
        raise InputError(
            f"Participants ({participants:g}) and items ({items:g}) can't both differ so much at an accuracy of "
            f"{accuracy:g}. Lower one of the two."
        )
    return convert_correlations(*found)
