"""Small corpora for the tests of audits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.audits.audit_corpus import AuditCorpus
from rightreasons.core.pairs import Card, ChallengeSet

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = tuple[str, str, str | None]


def make_corpus(rows: Sequence[Row], name: str = "small", **tags: Sequence[object]) -> AuditCorpus:
    """Make a corpus of premises, hypotheses and labels, with further columns."""
    schema = {"premise": pl.String, "hypothesis": pl.String, "label": pl.String}
    pairs = pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        pl.Series(name, values) for name, values in tags.items()
    )
    with_ids = pairs.with_columns(id=pl.format("ex{}", pl.int_range(pl.len())))
    return AuditCorpus.from_challenge_set(ChallengeSet(with_ids, Card(name)))
