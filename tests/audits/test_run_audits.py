"""Which audits run on which corpus, and where their options go."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from corpora_by_hand import make_corpus

import rightreasons as rr
from command_line import COMMAND
from rightreasons.audits.run_audits import build_audits, run_audits
from rightreasons.core.registry import AUDITS

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [("a b", "a", "entailment"), ("c d", "e", "neutral")]
UNLABELLED = [("a b", "a", None), ("c d", "e", None)]


def test_all_audits_but_those_that_lack_a_required_option_are_the_default() -> None:
    assert list(build_audits((), {})) == [name for name in AUDITS.list_names() if name != "corruption"]


def test_options_go_to_all_that_accept_them_or_to_their_owner() -> None:
    audits = build_audits(("heuristics", "shape"), {"bins": 3, "heuristics.rule": "nested"})
    assert (audits["shape"].bins, audits["heuristics"].rule) == (3, "nested")  # type: ignore[attr-defined]
    owned = build_audits(("shape",), {"shape.bins": 4, "bins": 3})
    assert owned["shape"].bins == 4  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("names", "options", "text"),
    [
        (("shape",), {"bin": 3}, "bins"),
        (("shape",), {"heuristics.rule": "nested"}, "heuristics.rule"),
        (("shap",), {}, "shape"),
        (("corruption",), {}, "model"),
    ],
)
def test_unknown_names_and_missing_options_are_refused(
    names: tuple[str, ...], options: dict[str, object], text: str
) -> None:
    with pytest.raises(rr.InputError, match=text):
        build_audits(names, options)


def test_audits_that_need_labels_are_skipped_without_them() -> None:
    audits = build_audits(("shape", "duplicates"), {})
    labelled, unlabelled = run_audits([make_corpus(ROWS, "one"), make_corpus(UNLABELLED, "two")], audits)
    assert list(labelled.results) == ["shape", "duplicates"]
    assert (list(unlabelled.results), list(unlabelled.skipped)) == (["duplicates"], ["shape"])
    assert all(address.startswith("duplicates.") for address in unlabelled.list_figures())


def test_a_named_audit_must_be_possible() -> None:
    with pytest.raises(rr.InputError, match=r"shape.*none has a gold label"):
        run_audits([make_corpus(UNLABELLED)], build_audits(("shape",), {}), named=True)
    with pytest.raises(rr.InputError, match="annotator_labels"):
        run_audits([make_corpus(ROWS)], build_audits(("agreement",), {}), named=True)


def test_a_corpus_that_allows_no_audit_is_refused() -> None:
    one_label = make_corpus([("a", "b", "neutral"), ("c", "d", "neutral")])
    with pytest.raises(rr.InputError, match="No audit"):
        run_audits([one_label], build_audits(("shape",), {}))


PLUGIN = """
from rightreasons.core.audit_result import AuditFigure, AuditResult

class Good:
    '''Counts the pairs.'''
    name = "good"
    needs_labels = False
    def audit(self, corpus):
        return AuditResult((), (AuditFigure("pairs", float(len(corpus)), len(corpus)),), "It has pairs.")

class Raises:
    '''Fails.'''
    name = "raises"
    def audit(self, corpus):
        raise KeyError("lost")

class Returns:
    '''Returns a number.'''
    name = "returns"
    def audit(self, corpus):
        return 3
"""


@pytest.fixture
def plugin(tmp_path: Path) -> dict[str, str]:
    """Install a package with three audits, and return the environment in which Python finds it."""
    info = tmp_path / "site" / "acme-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n", encoding="utf-8")
    names = "\n".join(f"{name.lower()} = acme_audits:{name}" for name in ("Good", "Raises", "Returns"))
    (info / "entry_points.txt").write_text(f"[rightreasons.audits]\n{names}\n", encoding="utf-8")
    (tmp_path / "site" / "acme_audits.py").write_text(PLUGIN, encoding="utf-8")
    (tmp_path / "c.csv").write_text(
        "premise,hypothesis,label\na b,a,entailment\nc,d,neutral\n", encoding="utf-8"
    )
    return {**os.environ, "PYTHONPATH": str(tmp_path / "site")}


@pytest.mark.parametrize(
    ("name", "code", "text"),
    [("good", 0, "good.pairs"), ("raises", 2, "'raises'"), ("returns", 2, "'returns'")],
)
def test_audits_of_plugins_run_and_their_errors_name_them(
    plugin: dict[str, str], tmp_path: Path, name: str, code: int, text: str
) -> None:
    words = [*COMMAND, "audit", "c.csv", "--audits", name, "--out", "out"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path, env=plugin)
    assert done.returncode == code, done.stderr
    assert text in (done.stderr if code else done.stdout)
    assert "Traceback" not in done.stderr
    assert (tmp_path / "out").exists() == (code == 0)
