"""A name on the hub stands for one commit, of which settings, tokenizer and weights are taken."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import tiny_networks
from rightreasons.models.huggingface import HuggingFace

if TYPE_CHECKING:
    from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"
# The place of the cache is read once, when the library is loaded.
CODE = """
import json, sys
import tiny_networks
from rightreasons.core.errors import InputError
from rightreasons.models.huggingface import HuggingFace

model = HuggingFace("org/tiny")
shares = model.predict(tiny_networks.PAIRS)["p_entailment"].to_list()
pinned = HuggingFace("org/tiny", revision=sys.argv[1])
try:
    HuggingFace("org/odd").fingerprint()
except InputError as error:
    odd = str(error)
print(json.dumps([shares, model.fingerprint()["files"], pinned.fingerprint()["files"], odd]))
"""


def kept(home: Path, name: str, commit: str, folder: Path) -> None:
    """Lay out a model as the hub's cache does."""
    place = home / "hub" / f"models--org--{name}"
    (place / "refs").mkdir(parents=True)
    (place / "refs" / "main").write_text(commit)
    shutil.copytree(folder, place / "snapshots" / commit)


@pytest.mark.slow
def test_a_name_on_the_hub_is_pinned_to_its_commit(tmp_path: Path) -> None:
    folder = tiny_networks.save("bert", tmp_path / "bert")
    kept(tmp_path / "home", "tiny", COMMIT, folder)
    kept(tmp_path / "home", "odd", "no-commit", folder)
    here = os.path.dirname(tiny_networks.__file__)  # noqa: PTH120 - of a module
    env = {**os.environ, "HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1", "PYTHONPATH": here}
    env.pop("HF_HUB_CACHE", None)
    done = subprocess.run(
        [sys.executable, "-c", CODE, COMMIT], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    shares, files, pinned, odd = json.loads(done.stdout.splitlines()[-1])
    assert files == pinned == {"org/tiny": COMMIT}
    assert shares == pytest.approx(
        HuggingFace(str(folder)).predict(tiny_networks.PAIRS)["p_entailment"].to_list()
    )
    assert "'hf:org/odd'" in odd
    assert "no-commit" in odd
