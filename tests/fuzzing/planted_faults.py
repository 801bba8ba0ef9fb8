"""Areas with a fault planted in each case, and one without: what the fuzz suite must find, and must not."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from fuzz.areas import predictions
from fuzz.cases import Area, Case

PAIRS = b"id,premise,hypothesis,label\na,A b.,A.,entailment\nb,A c.,C.,neutral\nc,A d.,D.,contradiction\n"
ANSWERS = b"id,label\na,entailment\nb,neutral\nc,neutral\n"
FILES = {"set.csv": PAIRS, "answers.csv": ANSWERS}
SCORE = ("score", "set.csv", "answers.csv", "--json")
COUNTS = {"entailment": (1, 1), "neutral": (1, 1), "contradiction": (1, 0), "all": (3, 2)}


def _area(name: str, make_one: Any) -> Area:
    return Area(name, 1, make_one)


def _scored(outcome: Any) -> bool:
    return predictions.compare(json.loads(outcome.out)["rows"], COUNTS)


def _case(about: str, prepare: Any = None, **more: Any) -> Case:
    return Case(about, **{"words": SCORE, "files": FILES, "prepare": prepare, "check": _scored, **more})


def _swap_labels() -> None:
    """Have the scorer exchange two labels of the answers."""
    import polars as pl

    from rightreasons.core import labels

    labels.resolve_predictions = lambda words: words.replace({"neutral": "contradiction"}).cast(pl.String)


def _raise_in_reader() -> None:
    from rightreasons.io import predictions as answers

    def read_table(*_: Any) -> Any:
        raise KeyError("planted")

    answers.read_table = read_table


def _replace_reader(action: Any) -> Any:
    """Plant an action in the reader of predictions."""

    def prepare() -> None:
        from rightreasons.io import predictions as answers

        before = answers.read_table
        answers.read_table = lambda *given: (action(), before(*given))[1]

    return prepare


def _leave_files() -> None:
    from rightreasons.core.errors import InputError

    Path(".set.1234.part").write_text("half")
    raise InputError("planted. Try again.")


def _hide_files() -> None:
    Path(".set.1234.part").write_text("half")


def _two_errors() -> None:
    from rightreasons.core.errors import InputError

    os.sys.stderr.write("Error: planted.\n")
    raise InputError("and once more")


def _fill_memory() -> None:
    raise MemoryError("planted")


AREAS = {
    area.name: area
    for area in (
        _area("good", lambda *_: _case("nothing is wrong", must_accept=True)),
        _area("refusal", lambda *_: _case("an id is missing", files={**FILES, "answers.csv": ANSWERS[:-10]})),
        _area("wrong-score", lambda *_: _case("labels are exchanged", _swap_labels)),
        _area("traceback", lambda *_: _case("the reader raises", _raise_in_reader)),
        _area("hang", lambda *_: _case("the reader sleeps", _replace_reader(lambda: time.sleep(60)))),
        _area("leftover", lambda *_: _case("a refusal leaves a file", _replace_reader(_leave_files))),
        _area("hidden", lambda *_: _case("a success leaves a hidden file", _replace_reader(_hide_files))),
        _area("two-errors", lambda *_: _case("a refusal in two lines", _replace_reader(_two_errors))),
        _area("memory", lambda *_: _case("no memory is left", _replace_reader(_fill_memory))),
        _area("crash", lambda *_: _case("the process ends", _replace_reader(lambda: os._exit(139)))),
        _area("exit-code", lambda *_: _case("another exit code", words=(), call=lambda: os.sys.exit(1))),
        _area("accepted", lambda *_: _case("a bad file is accepted", must_refuse="it is bad")),
        _area(
            "refused", lambda *_: _case("a good file is refused", must_accept=True, files={"set.csv": PAIRS})
        ),
        Area("unmakeable", 1, lambda chance, _: chance.choice(())),
    )
}
