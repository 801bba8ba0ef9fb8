"""Everything is installed in exact versions whose hashes are checked, on every system, and from no named address."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import distributions, requires
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LOCKS = {path.name: path for path in sorted(ROOT.glob("requirements*.lock"))}
EXTRAS = {"requirements.lock": None, "requirements-dev.lock": "dev", "requirements-docs.lock": "docs"}
GROUPS = ("build", "ecosystem", "tools", "torch", "weights")
PIN = re.compile(r"([a-z0-9][a-z0-9.-]*)(?:\[([a-z0-9, -]+)\])?==([0-9][^\s;]*)(?: ; ([^\\]+?))? \\")
HASH = re.compile(r"    --hash=(sha256:[0-9a-f]{64})(?: \\)?")


class Pin(NamedTuple):
    """A release, its extras, where it is wanted, and the hashes of its files."""

    extras: frozenset[str]
    version: str
    marker: str
    hashes: frozenset[str]


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


def pins(lock: str) -> dict[str, Pin]:
    """Read a lock file: each line is a remark, an exact version, or a hash of the version above it."""
    found: dict[str, Pin] = {}
    name = ""
    for number, line in enumerate(LOCKS[lock].read_text(encoding="utf-8").splitlines(), start=1):
        if line.lstrip().startswith("#"):
            continue
        if match := PIN.fullmatch(line):
            name = match[1]
            assert name not in found, f"{lock}, line {number}: {name} is pinned twice"
            extras = frozenset(match[2].split(", ") if match[2] else ())
            found[name] = Pin(extras, match[3], match[4] or "", frozenset())
            continue
        hashed = HASH.fullmatch(line)
        assert hashed, f"{lock}, line {number} is neither an exact version nor a hash: {line}"
        found[name] = found[name]._replace(hashes=found[name].hashes | {hashed[1]})
    return found


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[^A-Za-z0-9._-]", text, maxsplit=1)[0].lower() for text in requirements}


def commands(path: Path) -> list[str]:
    """List the commands of a script that install with pip, each as one line, with make's variables put in."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    variables = (
        dict(re.findall(r"^(\w+) \??:?= ?(.*)$", text, re.MULTILINE)) if path.name == "Makefile" else {}
    )
    for _ in range(3):
        text = re.sub(r"\$\((\w+)\)", lambda match: variables.get(match[1], match[0]), text)
    lines = [line for line in text.splitlines() if not re.match(r"\s*#|\w+ \??:?= ", line)]
    return [line for line in lines if re.search(r"\bpip\b.*\b(?:install|wheel)\b", line)]


def is_checked(command: str) -> bool:
    """Say whether a command installs hashed files, files that were hashed before, or nothing but this project."""
    return (
        bool(re.search(r"--require-hashes\b", command))
        or ("--no-index" in command and "/dist/" in command)
        or bool(re.search(r"--no-deps --no-build-isolation --editable \.$", command))
    )


def test_each_part_has_its_lock() -> None:
    assert set(LOCKS) == {
        *EXTRAS,
        *(f"requirements-{group}.lock" for group in GROUPS),
        "requirements-torch-cpu.lock",
    }


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_hashes(lock: str) -> None:
    locked = pins(lock)
    assert locked
    assert [name for name, pin in locked.items() if not pin.hashes] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_hold_no_address_and_no_path(lock: str) -> None:
    lines = LOCKS[lock].read_text(encoding="utf-8").splitlines()
    remarks = [line for line in lines[1:] if line.lstrip().startswith("#")]
    assert [line for line in remarks if re.search(r"[/\\@]|find-links|index-url", line)] == []


@pytest.mark.parametrize(("lock", "extra"), EXTRAS.items())
def test_locks_pin_all_that_is_declared(project: dict[str, Any], lock: str, extra: str | None) -> None:
    wanted = names(project["project"]["dependencies"] + project["build-system"]["requires"])
    if extra:
        wanted |= names(project["project"]["optional-dependencies"][extra])
    assert wanted - {"torch"} <= set(pins(lock))


@pytest.mark.parametrize("group", GROUPS)
def test_locks_pin_each_group(project: dict[str, Any], group: str) -> None:
    declared = project["dependency-groups"][group]
    locked = pins(f"requirements-{group}.lock")
    assert names(declared) <= set(locked)
    exact = dict(text.split("==") for text in declared if "==" in text)
    assert exact == {name: locked[name].version for name in exact}


def test_locks_agree_on_what_they_share() -> None:
    """One version, and of one version the same files. The ecosystem has a .venv of its own, with its own versions."""
    for one, other in combinations([lock for lock in LOCKS if "torch-cpu" not in lock], 2):
        mine, theirs = pins(one), pins(other)
        for name in mine.keys() & theirs.keys():
            same = mine[name].version == theirs[name].version
            assert same or "requirements-ecosystem.lock" in {one, other}, (one, other, name)
            assert not same or mine[name].hashes == theirs[name].hashes, (one, other, name)
    core, dev, docs = (pins(lock) for lock in EXTRAS)
    assert core.keys() <= dev.keys() & docs.keys()


def needs(lock: str) -> list[Requirement]:
    """List what the pinned packages that are installed here need on this system."""
    here = pins(lock).keys() & {canonicalize_name(one.name) for one in distributions()}
    found = [Requirement(text) for name in here for text in requires(name) or ()]
    return [need for need in found if need.marker is None or need.marker.evaluate({"extra": ""})]


@pytest.mark.parametrize("lock", EXTRAS)
def test_locks_name_all_dependencies(lock: str) -> None:
    """They are installed with --no-deps."""
    assert {canonicalize_name(need.name) for need in needs(lock)} <= pins(lock).keys()


def test_locks_keep_extras() -> None:
    """A pin without the extra that another package asks for lets pip look for a newer version, which has no hash."""
    locked = pins("requirements-dev.lock")
    asked = [need for need in needs("requirements-dev.lock") if need.extras]
    assert asked
    assert [need for need in asked if not need.extras <= locked[canonicalize_name(need.name)].extras] == []


def test_build_backend_is_the_locked_one(project: dict[str, Any]) -> None:
    (requirement,) = project["build-system"]["requires"]
    assert requirement == f"hatchling=={pins('requirements-build.lock')['hatchling'].version}"
    assert pins("requirements-build.lock").keys() <= pins("requirements.lock").keys()


def test_torch_is_one_version_in_two_builds(project: dict[str, Any]) -> None:
    """A common file would make pip prefer the registry's build, which brings CUDA, over a CPU build on disk."""
    registry, cpu = pins("requirements-torch.lock"), pins("requirements-torch-cpu.lock")
    assert cpu["torch"].version == f"{registry['torch'].version}+cpu"
    assert not cpu["torch"].hashes & registry["torch"].hashes
    assert cpu["torch"].marker
    extras = project["project"]["optional-dependencies"]
    declared = {text for extra in extras.values() for text in extra if text.startswith("torch")}
    assert declared == {f"torch=={registry['torch'].version}"}
    brought = {name for name in registry if re.match(r"nvidia-|cuda-|triton", name)}
    assert brought
    assert all("linux" in registry[name].marker for name in brought)
    for lock in set(LOCKS) - {"requirements-torch.lock"}:
        assert not brought & pins(lock).keys(), lock
    assert "torch" not in pins("requirements-dev.lock")


def test_locks_hold_for_other_systems() -> None:
    """With hashes required, a dependency that only another system has must be pinned too."""
    assert "win32" in pins("requirements.lock")["colorama"].marker
    wheels = pins("requirements.lock")["numpy"].hashes
    assert len(wheels) > 20  # one file for each system and Python


@pytest.mark.parametrize("script", ["Makefile", ".ci/run", "scripts/lock"])
def test_installs_check_hashes(script: str) -> None:
    found = commands(ROOT / script)
    assert found
    assert [command for command in found if not is_checked(command)] == []


def test_no_other_script_installs() -> None:
    scripts = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in ROOT.glob("scripts/*")
        if path.is_file()
    }
    installing = {name for name, text in scripts.items() if re.search(r"\bpip\b", text) and "install" in text}
    assert installing == {"scripts/lock", "scripts/install_torch.py"}
    assert "--require-hashes" in scripts["scripts/install_torch.py"]


@pytest.mark.parametrize(
    "command",
    [
        ".venv/bin/python -m pip install -qq -r requirements.lock",
        "pip install -c requirements.lock dist/x.whl",
        "pip install --no-deps numpy",
    ],
)
def test_unchecked_installs_would_be_found(command: str) -> None:
    assert not is_checked(command)
