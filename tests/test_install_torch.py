"""scripts/install_torch.py takes the CPU build where pip finds it, and never a file with another hash."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # each case runs pip two to four times

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "install_torch.py"
RELEASE = "99.0.0"  # a stand-in: a few hundred bytes under the name of torch


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Make a folder with an index that has the registry's build, as the registry would: with its hash."""
    registry = make_wheel(tmp_path / "simple" / "torch", RELEASE)
    (registry.parent / "index.html").write_text(
        f'<a href="{registry.name}#{link_hash(registry)}">{registry.name}</a>'
    )
    (tmp_path / "wheels").mkdir()
    write_lock(tmp_path / "requirements-torch.lock", RELEASE, registry)
    return tmp_path


def make_wheel(folder: Path, version: str, content: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"torch-{version}-py3-none-any.whl"
    info = f"torch-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("torch/__init__.py", content)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


def link_hash(path: Path) -> str:
    return "sha256=" + hashlib.sha256(path.read_bytes()).hexdigest()


def write_lock(path: Path, version: str, wheel: Path, marker: str = "") -> None:
    path.write_text(f"torch=={version}{marker} \\\n    --hash={link_hash(wheel).replace('=', ':')}\n")


def install(place: Path) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    pip = {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": (place / "simple").as_uri(),
        "PIP_FIND_LINKS": str(place / "wheels"),
        "PIP_TARGET": str(place / "target"),
        "PYTHONPATH": str(place / "target"),
    }
    command = [sys.executable, str(SCRIPT), str(place)]
    return subprocess.run(command, env=kept | pip, capture_output=True, text=True, check=False)


def installed(place: Path) -> list[str]:
    return sorted(path.name for path in place.glob("target/*.dist-info"))


def test_cpu_build_is_taken_where_pip_finds_it(place: Path) -> None:
    write_lock(
        place / "requirements-torch-cpu.lock",
        f"{RELEASE}+cpu",
        make_wheel(place / "wheels", f"{RELEASE}+cpu"),
    )
    assert install(place).returncode == 0
    assert installed(place) == [f"torch-{RELEASE}+cpu.dist-info"]
    assert install(place).returncode == 0  # and again, with nothing left to do
    assert installed(place) == [f"torch-{RELEASE}+cpu.dist-info"]


@pytest.mark.parametrize("marker", ["", " ; sys_platform == 'none'"])
def test_registry_build_is_taken_otherwise(place: Path, marker: str) -> None:
    absent = make_wheel(place / "elsewhere", f"{RELEASE}+cpu")
    write_lock(place / "requirements-torch-cpu.lock", f"{RELEASE}+cpu", absent, marker)
    done = install(place)
    assert (done.returncode, installed(place)) == (0, [f"torch-{RELEASE}.dist-info"]), done.stderr


def test_changed_file_is_refused(place: Path) -> None:
    """It must not fall back either: the registry's build is gigabytes, and the reason would be hidden."""
    make_wheel(place / "wheels", f"{RELEASE}+cpu", content="changed = True")
    locked = make_wheel(place / "elsewhere", f"{RELEASE}+cpu")
    write_lock(place / "requirements-torch-cpu.lock", f"{RELEASE}+cpu", locked)
    done = install(place)
    assert (done.returncode, installed(place)) == (1, [])
    assert link_hash(locked).partition("=")[2] in done.stderr


def test_changed_file_of_the_registry_is_refused(place: Path) -> None:
    write_lock(
        place / "requirements-torch-cpu.lock", f"{RELEASE}+cpu", make_wheel(place / "x", f"{RELEASE}+cpu")
    )
    write_lock(place / "requirements-torch.lock", RELEASE, place / "requirements-torch-cpu.lock")
    assert (install(place).returncode, installed(place)) == (1, [])
