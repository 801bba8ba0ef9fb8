"""Models that are asked batch by batch: what they promise, and the words they use.

A batched model says what decides its answers (`fingerprint`) and makes a job of some pairs (`prepare`). The job
knows its plan, the batches, before the first one is asked; each batch is answered on its own. So the one who asks
can write the plan down first, keep each answer as it comes, and go on after a kill as if nothing had happened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from rightreasons.core.errors import RightReasonsError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

Rows: TypeAlias = "NDArray[np.int64]"


class Job(Protocol):
    """Some pairs, prepared to be asked."""

    @property
    def batches(self) -> Sequence[Rows]:
        """Give the plan: which rows of the pairs go together, in the order of asking."""

    @property
    def refused(self) -> Mapping[int, str]:
        """Give the rows that can't be asked at all, each with the reason; they are in no batch."""

    @property
    def workers(self) -> int:
        """Say how many batches may be asked at a time: 1 unless the work is done elsewhere."""

    @property
    def facts(self) -> dict[str, Any]:
        """Say what the run's card keeps, such as how many premises were cut; it may grow while asking."""

    def answer(self, rows: Rows) -> pl.DataFrame:
        """Answer one batch, in the order of its rows: `label`, probabilities where known, `text` if there is one.

        Rows that get no answer this time are an UnansweredError.
        """


class Batched(Protocol):
    """A model that is asked batch by batch."""

    def fingerprint(self) -> dict[str, Any]:
        """Say what decides the answers, as JSON values: digests of weights, the order of labels, options."""

    def prepare(self, pairs: pl.DataFrame) -> Job:
        """Make a job of pairs: `premise`, `hypothesis` and what else it needs or wants; none occurs twice."""


class UnansweredError(RightReasonsError):
    """A batch got no answer; asking again later may give one."""

    def __init__(self, message: str, *, final: bool = False) -> None:
        """Say why; where it is final, asking for more now is in vain, such as without a valid key."""
        super().__init__(message)
        self.final = final
