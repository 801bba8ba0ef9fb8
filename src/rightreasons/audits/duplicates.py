"""Duplicates: pairs and texts that a corpus repeats, with the same label or another, and that it shares with a dev set.

Kinds of duplicates are nested: a pair that occurs verbatim also occurs with the same letters and digits, and counts as
a near duplicate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.audits import duplicate_tables
from rightreasons.audits.duplicate_tables import compute_row_share
from rightreasons.audits.label_conflicts import (
    LabelConflicts,
    make_conflict_example_exhibit,
    make_conflict_exhibit,
)
from rightreasons.audits.leaks import SIDES, find_leaks
from rightreasons.audits.repeated_pairs import RepeatedPairs
from rightreasons.core.audit_result import AuditFigure, AuditResult
from rightreasons.core.options import option, require_at_least
from rightreasons.core.parts import Audit
from rightreasons.corpora.corpus import read_damaged_corpus
from rightreasons.scoring.proportion import Proportion, compute_clustered_proportion
from rightreasons.scoring.sharing import find_sharing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.audits.audit_corpus import AuditCorpus
    from rightreasons.audits.repeated_pairs import NearSearch
    from rightreasons.core.exhibit import Exhibit

EXACT, NORMALISED, NEAR, SWAPPED = "exact", "normalised", "near", "swapped"
PREMISES, HYPOTHESES = "premises", "hypotheses"
CONFLICTING, SPLITS, SPLIT = "conflicting", "splits", "split"
_AGAINST: dict[str, str] = {what: f"against-{what.replace(' ', '-')}s" for what in SIDES}
_AGAINST["hypothesis"] = "against-hypotheses"
_NAMES = {
    EXACT: "exact pair",
    NORMALISED: "normalised pair",
    NEAR: "near duplicate",
    SWAPPED: "swapped pair",
    PREMISES: "premise",
    HYPOTHESES: "hypothesis",
}


@dataclass(frozen=True, kw_only=True)
class DuplicatesAudit(Audit):
    """Repeated pairs and texts, pairs with two labels, and texts shared with a dev set."""

    name = "duplicates"
    needs_labels = False
    against: str = option("", help="Another corpus, such as a dev set: count the texts that both share.")
    near: int = option(
        5_000, help="Number of pairs whose near duplicates are searched, at random; 0 for none."
    )
    examples: int = option(20, help="Number of rows in tables of examples.")

    def __post_init__(self) -> None:
        """Check the options."""
        require_at_least("near", self.near, 0)
        require_at_least("examples", self.examples, 0)

    def precheck(self) -> None:
        """Read the other corpus."""
        _ = self._other_pairs

    def audit(self, corpus: AuditCorpus) -> AuditResult:
        """Count duplicates, labels of equal pairs, and texts shared by splits and with the other corpus."""
        other = self._other_pairs
        repeated = RepeatedPairs.from_pairs(corpus.pairs)
        search = repeated.find_near_duplicates(self.near) if self.near else None
        shares = _compute_repeated_shares(corpus, repeated, search)
        conflicts = LabelConflicts.from_corpus(corpus, repeated.normalised)
        exhibits = self._make_own_exhibits(corpus, repeated, search, shares, conflicts)
        if corpus.labels:
            shares[CONFLICTING] = compute_row_share(
                corpus, pl.Series(conflicts.conflicting_rows), pl.Series(conflicts.labelled)
            )
            shares[f"{CONFLICTING}.repeated"] = conflicts.share_of_repeated
        if corpus.has_values(SPLIT):
            exhibit, shares[SPLITS] = duplicate_tables.make_split_exhibit(corpus, repeated)
            exhibits.append(exhibit)
        if other is not None:
            matches = find_leaks(corpus.pairs, other, near=bool(self.near))
            shared = _compute_shared_texts(matches, other)
            exhibits.append(duplicate_tables.make_against_exhibit(matches, shared, Path(self.against).stem))
            shares |= {_AGAINST[what]: share for what, share in shared.items()}
        order = np.argsort(repeated.normalised.number, kind="stable")
        conflicting = corpus.pairs[order].filter(pl.Series(conflicts.conflicting_rows[order]))
        return AuditResult(
            tuple(exhibits),
            tuple(_list_duplicate_figures(shares)),
            _summarize_duplicates(shares, conflicts, self.against),
            tuple(_list_search_remarks(repeated, search)),
            {CONFLICTING: conflicting},
        )

    @cached_property
    def _other_pairs(self) -> pl.DataFrame | None:
        """The pairs of the other corpus, read once for all corpora."""
        return read_damaged_corpus(self.against).pairs if self.against else None

    def _make_own_exhibits(
        self,
        corpus: AuditCorpus,
        repeated: RepeatedPairs,
        search: NearSearch | None,
        shares: Mapping[str, Proportion],
        conflicts: LabelConflicts,
    ) -> list[Exhibit]:
        """Make the tables of the corpus alone."""
        surplus = {
            EXACT: repeated.exact.surplus,
            NORMALISED: repeated.normalised.surplus,
            PREMISES: repeated.count_text(0).surplus,
            HYPOTHESES: repeated.count_text(1).surplus,
        }
        named = {_NAMES[kind]: share for kind, share in shares.items()}
        exhibits = [
            duplicate_tables.make_kind_exhibit(named, {_NAMES[kind]: n for kind, n in surplus.items()}),
            duplicate_tables.make_sharing_exhibit(repeated),
            duplicate_tables.make_hypothesis_exhibit(corpus, repeated, self.examples),
        ]
        if corpus.labels:
            exhibits.append(make_conflict_exhibit(conflicts))
            exhibits.append(make_conflict_example_exhibit(corpus, conflicts, self.examples))
        if search is not None:
            exhibits.append(duplicate_tables.make_near_example_exhibit(corpus, search.found, self.examples))
        return exhibits


def _compute_repeated_shares(
    corpus: AuditCorpus, repeated: RepeatedPairs, search: NearSearch | None
) -> dict[str, Proportion]:
    """Compute the share of the pairs that occur again, by kind."""
    everything = pl.Series(np.ones(len(corpus), dtype=bool))
    flags = {EXACT: repeated.exact.is_repeated, NORMALISED: repeated.normalised.is_repeated}
    shares = {kind: compute_row_share(corpus, pl.Series(hits), everything) for kind, hits in flags.items()}
    if search is not None:
        shares[NEAR] = _estimate_near_share(corpus, repeated, search, shares[NORMALISED])
    others = {
        SWAPPED: repeated.is_swapped,
        PREMISES: repeated.count_text(0).is_repeated,
        HYPOTHESES: repeated.count_text(1).is_repeated,
    }
    return shares | {
        kind: compute_row_share(corpus, pl.Series(hits), everything) for kind, hits in others.items()
    }


def _estimate_near_share(
    corpus: AuditCorpus, repeated: RepeatedPairs, search: NearSearch, equal: Proportion
) -> Proportion:
    """Compute the share of the pairs with a near duplicate; pairs that are equal to another have one.

    From a sample of the others it is estimated. Its interval then combines those of both parts (MOVER).
    """
    found = np.zeros(len(corpus), dtype=bool)
    found[[each.row for each in search.found]] = True
    searched = np.zeros(len(corpus), dtype=bool)
    searched[search.rows] = True
    alone = equal.n - equal.hits
    if len(search.rows) == alone:
        hits = found | repeated.normalised.is_repeated
        return compute_row_share(corpus, pl.Series(hits), pl.Series(np.ones(len(corpus), dtype=bool)))
    part = compute_row_share(corpus, pl.Series(found), pl.Series(searched))
    d, p = equal.share or 0.0, part.share or 0.0
    share = d + (1 - d) * p
    below, above = (
        float(np.hypot((1 - p) * (d - d_end), (1 - d) * (p - p_end)))
        for d_end, p_end in ((equal.low or 0.0, part.low or 0.0), (equal.high or 0.0, part.high or 0.0))
    )
    return Proportion(
        equal.hits + round(alone * p), equal.n, max(0.0, share - below), min(1.0, share + above)
    )


def _compute_shared_texts(matches: pl.DataFrame, other: pl.DataFrame) -> dict[str, Proportion]:
    """Compute the share of another corpus that occurs in this one: pairs, swapped pairs, premises and hypotheses."""
    clusters = find_sharing(other).clusters
    shares: dict[str, Proportion] = {}
    for what in SIDES:
        hits = np.zeros(other.height, dtype=bool)
        hits[matches.filter(what=what)["row"].to_numpy()] = True
        shares[what] = compute_clustered_proportion(pl.Series(hits), clusters)
    return shares


def _list_duplicate_figures(shares: Mapping[str, Proportion]) -> list[AuditFigure]:
    # The first figure stands for the audit in plots of several corpora: the widest kind.
    return [
        AuditFigure(name, share.share, share.n, share.low, share.high)
        for name, share in sorted(shares.items(), key=lambda item: item[0] != NEAR)
        if share.share is not None
    ]


def _summarize_duplicates(shares: Mapping[str, Proportion], conflicts: LabelConflicts, against: str) -> str:
    kind, widest = (NEAR, shares[NEAR]) if NEAR in shares else (NORMALISED, shares[NORMALISED])
    if widest.share is None:
        return "The corpus has no pairs."
    sentence = (
        f"{widest.share:.1%} of the pairs have a {kind} duplicate [{widest.low:.1%}, {widest.high:.1%}] "
        f"(n = {widest.n:,}); if a dev set is split off at random, up to this share of it has one in the training part"
    )
    found = conflicts.share_of_repeated
    if found.n:
        sentence += f"; {found.hits:,} of the {found.n:,} repeated pairs have more than one gold label"
    if against:
        shared = shares[_AGAINST["pair"]]
        sentence += f"; {shared.hits:,} of the {shared.n:,} pairs of {Path(against).stem} occur in the corpus"
    return sentence + "."


def _list_search_remarks(repeated: RepeatedPairs, search: NearSearch | None) -> list[str]:
    """Note how much was searched for near duplicates."""
    if search is None:
        return ["Near duplicates were not searched."]
    alone = int((repeated.normalised.times == 1).sum())
    if len(search.rows) == alone:
        return []
    remark = (
        f"Near duplicates were searched for {len(search.rows):,} of the {alone:,} pairs that no other pair equals, "
        "chosen at random; the share of pairs with a near duplicate is an estimate. Use -o near=NUMBER to search more."
    )
    return [remark]
