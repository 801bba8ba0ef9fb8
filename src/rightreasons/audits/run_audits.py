"""Run audits on one corpus or several: which audits a corpus allows, and what was skipped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rightreasons.core import options as part_options
from rightreasons.core import registry
from rightreasons.core.audit_result import AuditResult
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.options import convert_option_to_json, normalize_option_key
from rightreasons.core.plugins import FIX_ADVICE, convert_plugin_errors
from rightreasons.core.progress import track_progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.audits.audit_corpus import AuditCorpus
    from rightreasons.core.audit_result import AuditFigure
    from rightreasons.core.parts import Audit


@dataclass(frozen=True)
class CorpusAudit:
    """The results of all audits on one corpus, and why others were skipped; both by the name of the audit."""

    corpus: AuditCorpus
    results: Mapping[str, AuditResult]
    skipped: Mapping[str, str]

    def list_figures(self) -> dict[str, AuditFigure]:
        """List the figures by address, such as partial-input.hypothesis."""
        return {
            f"{audit}.{figure.name}": figure
            for audit, result in self.results.items()
            for figure in result.figures
        }


def build_audits(names: Sequence[str], options: Mapping[str, object]) -> dict[str, Audit]:
    """Make audits by name, all if none is named; an option goes to every audit that accepts it, or to its owner.

    Of all audits, those that lack a required option are left out.
    """
    chosen = list(dict.fromkeys(names)) or registry.AUDITS.list_names()
    schemas = {name: part_options.get_schema(registry.get_audit_class(name)) for name in chosen}
    given = {normalize_option_key(key): value for key, value in options.items()}
    used: set[str] = set()
    audits = {}
    for name, schema in schemas.items():
        accepted = {f"{name}.{key}": key for key in schema} | {key: key for key in schema}
        own = {accepted[key]: value for key, value in sorted(given.items(), key=_is_owned) if key in accepted}
        used |= given.keys() & accepted.keys()
        needed = part_options.list_required_options(registry.get_audit_class(name))
        if names or all(key in own for key in needed):
            audits[name] = registry.make_audit(name, own)
    unknown = [key for key in given if key not in used]
    if unknown:
        known = {key for schema in schemas.values() for key in schema}
        raise UnknownNameError("option of these audits", unknown[0], known)
    return audits


def list_left_out_audits(audits: Mapping[str, Audit]) -> dict[str, str]:
    """List the audits that lack a required option, and which."""
    others = [name for name in registry.AUDITS.list_names() if name not in audits]
    needed = {name: part_options.list_required_options(registry.get_audit_class(name)) for name in others}
    return {name: f"it needs the option {options[0]}" for name, options in needed.items() if options}


def describe_audit_options(audits: Mapping[str, Audit]) -> dict[str, dict[str, Any]]:
    """Describe the options of audits as JSON values; null where a part of a plugin does not keep an option."""
    schemas = {name: part_options.get_schema(registry.get_audit_class(name)) for name in audits}
    return {
        name: {key: convert_option_to_json(getattr(audits[name], key, None)) for key in schema}
        for name, schema in schemas.items()
    }


def _is_owned(item: tuple[str, object]) -> bool:
    """Sort options of a single audit behind those of all, so that they take precedence."""
    return "." in item[0]


def run_audits(
    corpora: Sequence[AuditCorpus], audits: Mapping[str, Audit], *, named: bool = False
) -> list[CorpusAudit]:
    """Run every audit on every corpus that allows it; an audit that was `named` must be possible on one of them."""
    found = run_possible_audits(corpora, audits)
    _refuse_impossible_audits(found, audits, named=named)
    return found


def run_possible_audits(corpora: Sequence[AuditCorpus], audits: Mapping[str, Audit]) -> list[CorpusAudit]:
    """Run every audit on every corpus that allows it; a corpus may allow none."""
    results: list[dict[str, AuditResult]] = [{} for _ in corpora]
    skipped: list[dict[str, str]] = [{} for _ in corpora]
    steps = [(place, corpus, name) for place, corpus in enumerate(corpora) for name in audits]
    for place, corpus, name in track_progress(steps, len(steps), "auditing"):
        reason = _find_obstacle(corpus, audits[name])
        if reason:
            skipped[place][name] = reason
        else:
            results[place][name] = _run_audit(name, audits[name], corpus)
    return [CorpusAudit(*each) for each in zip(corpora, results, skipped, strict=True)]


def _run_audit(name: str, audit: Audit, corpus: AuditCorpus) -> AuditResult:
    """Run an audit; what the code of a plugin raises names the plugin."""
    if name in registry.AUDITS:
        return audit.audit(corpus)
    with convert_plugin_errors(f"The audit {name!r} fails", FIX_ADVICE):
        result = audit.audit(corpus)
        if not isinstance(result, AuditResult):
            raise TypeError(f"audit() returned {type(result).__name__}, not AuditResult")
        return result


def _find_obstacle(corpus: AuditCorpus, audit: Audit) -> str:
    """Return why an audit can't be run on a corpus, or an empty text."""
    missing = [column for column in audit.needs if not corpus.has_values(column)]
    if missing:
        return f"it needs the column {missing[0]}"
    if audit.needs_labels and len(corpus.labels) < 2:  # noqa: PLR2004 - one label can't depend on anything
        found = f"all have the label {corpus.labels[0]}" if corpus.labels else "none has a gold label"
        return f"it needs pairs with different gold labels, and {found}"
    return ""


def _refuse_impossible_audits(
    found: Sequence[CorpusAudit], audits: Mapping[str, Audit], *, named: bool
) -> None:
    """Refuse a named audit that no corpus allows, and corpora that allow none."""
    for name in audits:
        if named and all(name in each.skipped for each in found):
            raise InputError(
                f"The audit {name} can't be run on {found[0].corpus.name}: {found[0].skipped[name]}. "
                "Use another corpus, or leave the audit out."
            )
    for each in found:
        if not each.results:
            reasons = "; ".join(f"{name}: {reason}" for name, reason in each.skipped.items())
            raise InputError(f"No audit can be run on {each.corpus.name} ({reasons}). Use pairs with labels.")
