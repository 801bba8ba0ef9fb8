"""How each model was run and scored, and what it takes to reproduce a run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import format_count
from rightreasons.core.formatting import format_percent
from rightreasons.core.labels import AUTO

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rightreasons.runs.folder import Run

LABEL_SOURCES = {
    "names": "from the names of the model's outputs",
    "probe": "inferred from unambiguous probe pairs, because the model's outputs have no names",
    "option": "from the option labels",
}
# Problems with some pairs: the recorded fact, and its wording in the report.
PROBLEMS = {
    "cut": "premises truncated",
    "windows": "long premises split into windows",
    "refused": "pairs refused",
    "unreadable": "predictions without a readable label",
}
FAST = 10  # pairs per second from which decimals are not shown
# With fewer pairs or less time, no rate is given, because it would not extrapolate.
ENOUGH_PAIRS = 100
ENOUGH_SECONDS = 1.0


def describe_model_runs(run: Run) -> list[tuple[str, str]]:
    """Describe in one line how each requested model was run, if anything is known about it."""
    entries = [entry for entry in run.card["models"] if not entry["baseline"]]
    lines = [(entry["name"], "; ".join(_iterate_model_facts(entry))) for entry in entries]
    return [(name, f"{line}.") for name, line in lines if line]


def describe_label_rule(run: Run, name: str) -> str:
    """Describe how the labels of one set were compared: in one sentence, or per model if models differ."""
    models = set(run.requested_models)
    rules = {note.model: note.label_rule for note in run.notes if note.set == name and note.model in models}
    if len(set(rules.values())) > 1:
        return "; ".join(f"{model}: {rule}" for model, rule in rules.items())
    return next(iter(rules.values()), run.label_rule(name))


def list_argmax_sets(run: Run) -> list[str]:
    """List the sets that were scored by argmax, which is required to score a single model again."""
    if run.card.get("rule") not in (AUTO, "argmax"):
        return []
    return [name for name in run.sets if describe_label_rule(run, name).startswith("argmax")]


def list_reproduction_facts(run: Run) -> list[tuple[str, str]]:
    """List what it takes to reproduce a run: command, versions, rule, seed, sets, models."""
    card = run.card
    lines = [("command", str(card["command"])), ("versions", _format_facts(card["versions"]))]
    lines += [("label rule", str(card["rule"])), ("seed", str(card["seed"]))]
    for entry in card["sets"]:
        facts = {key: entry[key] for key in ("version", "options", "rows", "digest")}
        lines.append((f"set {entry['name']}", _format_facts(facts)))
    for entry in card["models"]:
        if not entry["baseline"]:
            known = ("given", "options", "sources", "fingerprint")
            facts = {key: entry[key] for key in known if entry.get(key)}
            lines.append((f"model {entry['name']}", _format_facts(facts)))
    return [*lines, ("score again from the files", _make_score_command(run))]


def _make_score_command(run: Run) -> str:
    """Make the command that reproduces the scores; scored alone, a model may need the rule of the run."""
    command = "rightreasons score sets/SET.parquet predictions/SET/MODEL.parquet"
    by_argmax = list_argmax_sets(run)
    if not by_argmax:
        return command
    where = "" if len(by_argmax) == len(run.sets) else f" (for {', '.join(by_argmax)})"
    return f"{command} --rule argmax{where}"


def _format_facts(facts: Mapping[str, Any]) -> str:
    values = {
        key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        for key, value in facts.items()
    }
    return ", ".join(f"{key}: {value}" for key, value in values.items())


def _iterate_model_facts(entry: Mapping[str, Any]) -> Iterator[str]:
    facts: Mapping[str, Mapping[str, Any]] = entry.get("facts") or {}
    head = entry.get("head") or {}
    if head:
        order = ", ".join(head["order"])
        yield f"label order ({LABEL_SOURCES.get(head['how'], head['how'])}): {order}"
    yield from filter(
        None, (_describe_speed(facts), _describe_requests(facts), _describe_int8_agreement(facts))
    )
    for fact, words in PROBLEMS.items():
        counted = [name for name in facts if _count_affected_pairs(facts[name].get(fact))]
        by_set = [
            f"{_format_affected_share(facts[name], fact)} on {name}{_format_most_frequent_refusal(facts[name], fact)}"
            for name in counted
        ]
        if by_set:
            yield f"{words}: {', '.join(by_set)}"


def _count_affected_pairs(value: Any) -> int:
    """Count what a fact lists, unless it is a number itself."""
    return len(value) if hasattr(value, "__len__") else int(value or 0)


def _format_affected_share(facts: Mapping[str, Any], fact: str) -> str:
    part, pairs = _count_affected_pairs(facts[fact]), facts.get("pairs")
    return f"{part:,} of {pairs:,} ({format_percent(part, pairs)})" if pairs else f"{part:,}"


def _format_most_frequent_refusal(facts: Mapping[str, Any], fact: str) -> str:
    """Format the most frequent reason why pairs were refused."""
    reasons = facts.get("reasons") if fact == "refused" else None
    return f" ({max(reasons, key=lambda reason: reasons[reason]).rstrip('.')})" if reasons else ""


def _describe_speed(facts: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Describe the speed of models that predict in batches; looking up predictions has no meaningful speed."""
    timed = [
        of_set
        for of_set in facts.values()
        if of_set.get("pairs") and of_set.get("seconds") and "batches" in of_set
    ]
    if not timed:
        return None
    pairs, seconds = (sum(of_set[key] for of_set in timed) for key in ("pairs", "seconds"))
    took = f"{seconds:,.1f} s" if seconds >= ENOUGH_SECONDS else "under a second"
    speed = f"{format_count(pairs, 'pair')} in {took}"
    if pairs >= ENOUGH_PAIRS and seconds >= ENOUGH_SECONDS:
        rate = pairs / seconds
        speed += f", {rate:,.0f} per second" if rate >= FAST else f", {rate:.1f} per second"
    return speed + _describe_loading_time(timed)


def _describe_loading_time(timed: Sequence[Mapping[str, Any]]) -> str:
    """Describe the time for loading, if it is long enough to matter."""
    seconds = sum(of_set.get("loading") or 0.0 for of_set in timed)
    return f", after {seconds:,.1f} s of loading" if seconds >= ENOUGH_SECONDS else ""


def _describe_requests(facts: Mapping[str, Mapping[str, Any]]) -> str | None:
    requests, cost = (sum(of_set.get(key) or 0 for of_set in facts.values()) for key in ("requests", "cost"))
    if not requests:
        return None
    return format_count(requests, "request") + (f", which cost {cost:,.2f}" if cost else "")


def _describe_int8_agreement(facts: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Describe the lowest agreement of int8 with fp32 over the sets."""
    agreement = {
        name: of_set["int8_agreement"] for name, of_set in facts.items() if of_set.get("int8_agreement")
    }
    if not agreement:
        return None
    worst = min(agreement, key=lambda name: agreement[name])
    share = f"{100 * agreement[worst]:.1f}%"
    return f"int8 and fp32 predict the same label for {share} of a sample (lowest value, on {worst})"
