"""A question that an endpoint will not answer: the pair is refused, if the endpoint answers other questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.labels import REFUSED
from rightreasons.models.remote.failures import RejectedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rightreasons.models.remote.client import Client

# So many turned down in a row, and nothing answered: it is not the pairs, and the next ones will fare no better.
REJECTED_IN_A_ROW = 5
LONGEST_TEXT = 1000
# Asked where nothing is known of an endpoint but that it turns pairs down: no filter has anything against it.
HARMLESS = ("The judge slept.", "Someone slept.")


def refusal(rejection: RejectedError, client: Client, ask_harmless: Callable[[], object]) -> pl.DataFrame:
    """Make an answer of a rejection, or raise it where the endpoint may be turning down whatever it is asked.

    An endpoint that has answered is believed, up to so many rejections in a row; otherwise it is asked about a
    harmless pair. So it does not matter which pair comes first, nor whether the rejected ones are all that is left.
    """
    in_a_row = client.note_rejection()
    if not client.answered or in_a_row >= REJECTED_IN_A_ROW:
        try:
            ask_harmless()
        except RejectedError:
            rejection.final = in_a_row >= REJECTED_IN_A_ROW
            raise rejection from None
    return pl.DataFrame({"label": [REFUSED], "text": [rejection.words[:LONGEST_TEXT]]})
