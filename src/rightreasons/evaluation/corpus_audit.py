"""All steps of an audit: read the corpora, run the audits, and write a folder of tables and pages."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightreasons import __version__
from rightreasons.audits.audit_corpus import AuditCorpus
from rightreasons.audits.run_audits import (
    build_audits,
    describe_audit_options,
    list_left_out_audits,
    run_audits,
)
from rightreasons.core.errors import InputError
from rightreasons.core.formatting import make_slugs, number_equal_names
from rightreasons.core.options import convert_option_to_json
from rightreasons.core.pairs import Card, ChallengeSet
from rightreasons.core.progress import show_progress
from rightreasons.corpora.corpus import read_damaged_corpus
from rightreasons.corpora.corpus_source import split_name_and_source
from rightreasons.corpora.pair_checks import check_pairs
from rightreasons.corpora.pair_files import write_pairs
from rightreasons.evaluation.figure_gates import check_figure_gates, find_missed_figure_gates
from rightreasons.io.outputs import check_output_path, check_writable, write_folder_atomically
from rightreasons.reports.audit_report import CORPUS, build_audit_report

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.audits.run_audits import CorpusAudit
    from rightreasons.core.audit_result import AuditFigure
    from rightreasons.core.parts import Audit
    from rightreasons.evaluation.figure_gates import FigureGate, MissedFigureGate
    from rightreasons.reports.report_data import Report

CARD, PAGE, MARKDOWN = "audit.json", "report.html", "report.md"
TABLES, PAIRS = "tables", "pairs"


@dataclass(frozen=True)
class AuditedCorpora:
    """The audits of some corpora, their report, and the gates that were missed."""

    audits: tuple[CorpusAudit, ...]
    report: Report
    missed: tuple[MissedFigureGate, ...] = ()

    def list_figures(self) -> dict[str, dict[str, AuditFigure]]:
        """List the figures of each corpus by address, such as partial-input.hypothesis."""
        return {each.corpus.name: each.list_figures() for each in self.audits}


def audit_corpora(
    corpora: Sequence[str | Path | ChallengeSet],
    *,
    out: str | Path | None = None,
    names: Sequence[str] = (),
    options: Mapping[str, object],
    gates: Sequence[FigureGate] = (),
    force: bool = False,
    command: str | None = None,
) -> AuditedCorpora:
    """Audit corpora and write a folder, whole or not at all; without `out`, nothing is written."""
    if not corpora:
        raise InputError("No corpus was given. Pass at least one.")
    if out is not None:
        check_writable(check_output_path(out, force=force, folder=True, marker=CARD))
    parts = build_audits(names, options)
    titles = _name_corpora(corpora)
    check_figure_gates(gates, titles, parts)
    for part in parts.values():
        part.precheck()
    created = datetime.now(UTC).isoformat(timespec="seconds")
    command = command or _render_audit_command(corpora, out, names, options)
    read = [_read_audit_corpus(corpus, name) for corpus, name in zip(corpora, titles, strict=True)]
    audits = tuple(run_audits(read, parts, named=bool(names)))
    missed = tuple(find_missed_figure_gates(gates, audits))
    provenance = _list_provenance(audits, parts, command)
    left_out = {} if names else list_left_out_audits(parts)
    report = build_audit_report(audits, created, provenance, left_out)
    audited = AuditedCorpora(audits, report, missed)
    if out is not None:
        with write_folder_atomically(out, force=force, marker=CARD) as folder:
            card = {"command": command, "created": created, **_describe_audits(audits, parts)}
            _write_audit_folder(folder, audited, card)
    return audited


def _name_corpora(corpora: Sequence[str | Path | ChallengeSet]) -> list[str]:
    """Name corpora as they were given; equal names are numbered."""
    return number_equal_names(
        [each.card.set if isinstance(each, ChallengeSet) else _name_file(str(each)) for each in corpora]
    )


def _name_file(text: str) -> str:
    """Return the NAME of NAME=FILE, the stem of a file, or what the user calls another corpus."""
    called, name = split_name_and_source(text)
    if called:
        return called
    path = Path(name)
    return path.stem if path.is_file() or (path.suffix and not name.startswith("hf:")) else name


def _read_audit_corpus(corpus: str | Path | ChallengeSet, name: str) -> AuditCorpus:
    if isinstance(corpus, ChallengeSet):
        return _check_corpus_in_memory(AuditCorpus.from_challenge_set(corpus, name))
    with show_progress(label=f"reading {name}"):
        return AuditCorpus.from_challenge_set(read_damaged_corpus(str(corpus)), name)


def _check_corpus_in_memory(corpus: AuditCorpus) -> AuditCorpus:
    """Check and repair the pairs of a set as those of a file are when they are read."""
    pairs, remarks = check_pairs(
        corpus.pairs,
        lambda row: corpus.name if row < 0 else f"{corpus.name}, row {row + 1}",
        repair=True,
        keep_unlabelled=True,
    )
    card = replace(corpus.card, remarks=(*corpus.card.remarks, *remarks))
    return replace(corpus, pairs=pairs, card=card)


def _render_audit_command(
    corpora: Sequence[str | Path | ChallengeSet],
    out: str | Path | None,
    names: Sequence[str],
    options: Mapping[str, object],
) -> str:
    """Render the command that repeats the audit."""
    words = [each.card.set if isinstance(each, ChallengeSet) else str(each) for each in corpora]
    words += ["--audits", ",".join(names)] if names else []
    for key, value in options.items():
        text = str(convert_option_to_json(value))
        words += [f"--{key}", text] if key in ("model", "against") else ["-o", f"{key}={text}"]
    words += [] if out is None else ["--out", str(out)]
    return shlex.join(["rightreasons", "audit", *words])


def _list_provenance(
    audits: Sequence[CorpusAudit], parts: Mapping[str, Audit], command: str
) -> dict[str, str]:
    """List what it takes to repeat the audit."""
    digests = {
        f"SHA-256 of {file}": digest for each in audits for file, digest in each.corpus.card.sources.items()
    }
    options = " ".join(
        f"{name}.{key}={value}"
        for name, options in describe_audit_options(parts).items()
        for key, value in options.items()
    )
    return {"Command": command, "Version": f"rightreasons {__version__}", "Options": options, **digests}


def _describe_audits(audits: Sequence[CorpusAudit], parts: Mapping[str, Audit]) -> dict[str, Any]:
    """Describe the corpora, the options of the audits, and all figures, for the card."""
    return {
        "versions": {"rightreasons": __version__},
        "audits": describe_audit_options(parts),
        "corpora": [
            {
                "name": each.corpus.name,
                "rows": len(each.corpus),
                "labels": dict(zip(each.corpus.labels, each.corpus.label_counts.tolist(), strict=True)),
                "sources": dict(each.corpus.card.sources),
                "remarks": list(each.corpus.card.remarks),
                "skipped": dict(each.skipped),
                "summaries": {name: result.summary for name, result in each.results.items()},
                "figures": {
                    address: {key: value for key, value in vars(figure).items() if key != "name"}
                    for address, figure in each.list_figures().items()
                },
            }
            for each in audits
        ],
    }


def _write_audit_folder(folder: Path, audited: AuditedCorpora, card: Mapping[str, Any]) -> None:
    from rightreasons.reports.build import write_html, write_markdown
    from rightreasons.reports.table_folder import shorten_report, write_exhibit_tables

    write_html(audited.report, folder / PAGE)
    write_exhibit_tables(audited.report.exhibits, folder / TABLES, part=CORPUS)
    write_markdown(shorten_report(audited.report, part=CORPUS), folder / MARKDOWN)
    _write_pair_sets(folder / PAIRS, audited.audits)
    (folder / CARD).write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _write_pair_sets(folder: Path, audits: Sequence[CorpusAudit]) -> None:
    """Write the pairs that audits selected, as sets with a card."""
    selected = [
        (f"{name}-{each.corpus.name}", each, pairs)
        for each in audits
        for result in each.results.values()
        for name, pairs in result.pairs.items()
        if not pairs.is_empty()
    ]
    for slug, (name, each, pairs) in zip(make_slugs([name for name, *_ in selected]), selected, strict=True):
        folder.mkdir(exist_ok=True)
        labels = tuple(label for label in each.corpus.labels if label in pairs["label"])
        card = Card(name, labels=labels, rows=pairs.height, sources=dict(each.corpus.card.sources))
        write_pairs(ChallengeSet(pairs, replace(card, digest=None)), folder / f"{slug}.jsonl")
