"""Corpora of the Hugging Face hub, or of a folder in its layout, through the library `datasets`.

A corpus is named NAME[:CONFIG][:SPLIT]. Where there are several configurations or splits and none is named, it is an
error that lists them: which one a result stands on is never guessed.
"""

from __future__ import annotations

import importlib
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.io.inputs import provide_empty_stdin

if TYPE_CHECKING:
    from collections.abc import Iterable

OLDEST = 4  # versions before it run scripts of datasets, after a question on standard input
MOST_WORDS = 2
MOST_SHOWN = 20
SAVED = ("state.json", "dataset_dict.json")


def load_dataset(name: str) -> pl.DataFrame:
    """Load one split as a table, with names in place of the numbers of labels."""
    try:
        datasets = importlib.import_module("datasets")
    except ImportError as error:
        raise InputError(
            f"hf:{name} needs the library datasets, which is not installed. "
            "Run pip install datasets, or pass the path of a file."
        ) from error
    if int(datasets.__version__.split(".")[0]) < OLDEST:
        raise InputError(
            f"datasets {datasets.__version__} would run code from the author of hf:{name}. "
            f"Run pip install 'datasets>={OLDEST}', which never runs such code."
        )
    try:
        with provide_empty_stdin():
            return _convert_to_table(_load_split(name, datasets))
    except (OSError, ValueError, RuntimeError) as error:
        cause = (str(error) or type(error).__name__).splitlines()[0]
        raise InputError(
            f"hf:{name} can't be loaded ({cause}). Check the name and the network, or pass the path of a file."
        ) from error


def _load_split(name: str, datasets: Any) -> Any:
    """Find the split that a name stands for."""
    path, *words = name.split(":")
    if not path or "" in words or len(words) > MOST_WORDS:
        raise InputError(
            f"hf:{name} is not the name of a dataset. Use hf:NAME, hf:NAME:SPLIT or hf:NAME:CONFIG:SPLIT."
        )
    if any(Path(path, file).is_file() for file in SAVED):
        return _choose_saved_split(name, datasets.load_from_disk(path), words)
    path = _resolve_dataset_folder(name, path)
    config, split = _choose_config_and_split(name, path, words, datasets)
    return datasets.load_dataset(path, config, split=split)


def _resolve_dataset_folder(name: str, path: str) -> str:
    """Return the absolute path of a folder, any other name unchanged; `datasets` interprets a path as a pattern."""
    if not Path(path).is_dir():
        return path
    whole = str(Path(path).resolve())
    if escape(whole) != whole:
        raise InputError(
            f"hf:{name} can't be read: datasets interprets the path {whole!r} as a pattern. "
            "Rename the folder without [, ], * and ?, or pass a file in it."
        )
    return whole


def _choose_saved_split(name: str, saved: Any, words: list[str]) -> Any:
    """Choose the split of a dataset that was saved to disk; one without splits needs no word."""
    if not isinstance(saved, dict):
        if words:
            raise InputError(f"hf:{name} has no splits. Omit {':'.join(words)}.")
        return saved
    return saved[_choose_config_or_split(name, "splits", saved, words[-1] if words else None)]


def _choose_config_and_split(name: str, path: str, words: list[str], datasets: Any) -> tuple[str, str]:
    """Return which word is the configuration and which the split; a word alone may be either."""
    configs = datasets.get_dataset_config_names(path)
    leading = words[0] if len(words) == MOST_WORDS or set(words) & set(configs) else None
    config = _choose_config_or_split(name, "configurations", configs, leading)
    rest = words[1:] if leading else words
    splits = datasets.get_dataset_split_names(path, config)
    return config, _choose_config_or_split(name, "splits", splits, rest[0] if rest else None)


def _choose_config_or_split(name: str, kind: str, names: Iterable[str], word: str | None) -> str:
    """Choose the requested name, or the only one."""
    known = list(names)
    if word in known:
        return str(word)
    if word is None and len(known) == 1:
        return known[0]
    path, some = name.partition(":")[0], ", ".join(known[:MOST_SHOWN])
    missing = "" if word is None else f", but no {word}"
    raise InputError(f"hf:{path} has the {kind} {some}{missing}. Choose one, such as hf:{path}:{known[0]}.")


def _convert_to_table(dataset: Any) -> pl.DataFrame:
    """Make a table, with names in place of numbers where the dataset has names for them."""
    table: pl.DataFrame = dataset.to_polars()
    named = {key: kind.names for key, kind in dataset.features.items() if hasattr(kind, "names")}
    return table.with_columns(
        pl.col(key).replace_strict(list(range(len(names))), names, default=None, return_dtype=pl.String)
        for key, names in named.items()
    )
