"""The verb `experiment`: train all parts, ask them, and write the run folder with the paper's table beside ours."""

from __future__ import annotations

import os
import platform
import shlex
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightreasons import __version__
from rightreasons.core.errors import InputError
from rightreasons.experiments import captions, folder
from rightreasons.experiments.asked import learnt_by_asked, make_tests, roles_of
from rightreasons.experiments.catalogue import experiment
from rightreasons.experiments.found import ExperimentResults
from rightreasons.experiments.jobs import Jobs
from rightreasons.experiments.learners import PRETRAIN, learner
from rightreasons.experiments.plan import ExperimentPart, RoleFile, Setting
from rightreasons.experiments.roles import ExperimentCorpora
from rightreasons.experiments.scales import scale_of
from rightreasons.experiments.workers import Crew
from rightreasons.io.leftovers import hidden_folder
from rightreasons.io.outputs import check_free, replacing_folder
from rightreasons.runs import folder as runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rightreasons.experiments.plan import Experiment

MODELS = "models"


def run(
    name: str,
    /,
    *,
    out: str | Path,
    scale: str = "quick",
    models: Sequence[str] = (),
    seeds: int = 1,
    corpora: Mapping[str, Sequence[str]] | None = None,
    vectors: str | Path | None = None,
    workers: int = 1,
    models_in: str | Path | None = None,
    allow_overlap: bool = False,
    force: bool = False,
    command: str | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> ExperimentResults:
    """Do an experiment; what was trained and answered is kept, so the same call goes on where a killed one stopped.

    Args:
        name: of the experiment, such as hans-main.
        out: the run folder to make, whole or not at all.
        scale: quick, paper or tiny.
        models: names such as da or esim; those of the experiment if none is given.
        seeds: how often each model is trained, with the seeds 0, 1, ...
        corpora: files by role, such as mnli-train; other roles are looked for among what was fetched.
        vectors: a file of word vectors for the networks.
        workers: child processes at a time, of one thread each; 0 does all in this process.
        models_in: the folder that keeps trained models and their answers for all experiments; `models` beside `out`
            unless told.
        allow_overlap: train even where pairs of the tests are in a training file.
        force: replace what exists at `out`.
        command: what to note as the command.
        say: is told in a sentence whenever a part is done.
    """
    start, started = time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
    plan, setting = _setting(name, scale, models, seeds)
    _check(workers, vectors)
    target = check_free(out, force=force, folder=True, marker=runs.CARD)
    store = Path(models_in) if models_in else target.parent / MODELS
    store.mkdir(parents=True, exist_ok=True)
    known, words = ExperimentCorpora(corpora or {}), None if vectors is None else Path(vectors)
    parts, tests = list(plan.parts(setting)), list(plan.tests(setting))
    known.check([*roles_of(tests, known), *_roles(parts)])
    # Tests are made anew each time, so there is nothing to keep of this folder.
    with hidden_folder(target) as work:
        learnt = {} if allow_overlap else learnt_by_asked(parts)
        made = make_tests(tests, known, setting.scale, work / "sets", learnt)
        jobs = Jobs(store, known, setting.scale, made, words)
        found = ExperimentResults(setting, [(part, jobs.add(part)) for part in parts], made)
        crew = Crew(workers, say, allow_overlap=allow_overlap)
        crew.do(jobs.all)
        caption = [*captions.sentences(found, words), *plan.notes]
        command = command or _command(name, out, setting)
        card = _card(plan, setting, found, command, started) | {"caption": caption, "threads": crew.threads}
        card |= {"workers": workers, "seconds": round(time.monotonic() - start, 1)}
        card["corpora"] = {
            role: [known.told(role), *known.digest(role)] for role in dict.fromkeys(_roles(parts))
        }
        folder.write_run(found, work / "run", command)
        folder.finish(
            found,
            work / "run",
            list(plan.tables(found)),
            title=f"{plan.name}: {plan.about}",
            caption=caption,
            card=card,
        )
        with replacing_folder(target, force=force, marker=runs.CARD) as place:
            for part in (work / "run").iterdir():
                part.rename(place / part.name)
    return replace(
        found, tests={name: replace(one, file=target / "sets" / one.file.name) for name, one in made.items()}
    )


def _setting(name: str, scale: str, models: Sequence[str], seeds: int) -> tuple[Experiment, Setting]:
    plan, size = experiment(name), scale_of(scale)
    if seeds < 1:
        raise InputError(f"{seeds} seeds were asked for. Ask for at least 1.")
    for model in models:
        if learner(model).trainer == PRETRAIN:
            raise InputError(f"{model} makes encoders, which answer nothing. Name models, such as jiant.")
    chosen = tuple(dict.fromkeys(models)) or (plan.paper_models if scale == "paper" else plan.models)
    return plan, Setting(size, chosen, tuple(range(seeds)))


def _check(workers: int, vectors: str | Path | None) -> None:
    if workers < 0:
        raise InputError(f"{workers} workers were asked for. Ask for 1 or more, or 0 for this process alone.")
    if vectors is not None and not Path(vectors).exists():
        raise InputError(f"There is no file of vectors {vectors}. Check the path.")


def _roles(parts: Iterable[ExperimentPart]) -> Iterator[str]:
    """List the roles that parts are trained on, with those that their options name."""
    for part in parts:
        yield part.train
        for value in part.options.values():
            if isinstance(value, RoleFile):
                yield value.role
            elif isinstance(value, ExperimentPart):
                yield from _roles([value])


def _card(
    plan: Experiment, setting: Setting, found: ExperimentResults, command: str, started: str
) -> dict[str, Any]:
    return {
        "name": plan.name,
        "command": command,
        "scale": setting.scale.name,
        "models": list(setting.models),
        "seeds": list(setting.seeds),
        "started": started,
        "versions": _versions(),
        "cores": os.cpu_count(),
        "too_weak": [part.name for part, _ in found.jobs if found.weak(part.row)],
        "parts": [
            {"name": part.name, "key": job.key, "identity": job.identity, "data": job.training.facts}
            | {"trained": found.trained(job)}
            for part, job in found.jobs
        ],
    }


def _versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found = {"rightreasons": __version__, "python": platform.python_version()}
    for package in ("torch", "transformers", "polars", "numpy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _command(name: str, out: str | Path, setting: Setting) -> str:
    words = ["rightreasons", "experiment", name, "--scale", setting.scale.name, "--out", str(out)]
    words += ["--models", ",".join(setting.models), "--seeds", str(len(setting.seeds))]
    return shlex.join(words)
