"""The settings of a model folder: read strictly, and checked before a library sees them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import InputError
from rightreasons.core.text_errors import unique_keys

if TYPE_CHECKING:
    from collections.abc import Mapping

_AGAIN = "Save the model again."
_DEEPEST = 100  # levels of lists and objects; real settings have fewer than ten
# The least and the most of each size, far beyond any real network: a library would divide by zero, or fill the memory.
_LAYERS, _HEADS, _WIDTHS = (0, 1_000), (1, 4_096), (1, 1_048_576)
_SIZES: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("num_hidden_layers", "num_layers", "n_layer", "n_layers"), _LAYERS),
    **dict.fromkeys(("encoder_layers", "decoder_layers", "num_hidden_groups", "inner_group_num"), _LAYERS),
    **dict.fromkeys(("num_attention_heads", "num_heads", "n_head", "n_heads"), _HEADS),
    **dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads", "num_key_value_heads"), _HEADS),
    **dict.fromkeys(("hidden_size", "embedding_size", "d_model", "dim", "n_embd"), _WIDTHS),
    **dict.fromkeys(("intermediate_size", "hidden_dim", "d_ff", "d_kv", "head_dim"), _WIDTHS),
    "vocab_size": (1, 16_777_216),
    "type_vocab_size": (0, 65_536),
    "max_position_embeddings": (-1, 16_777_216),
    "n_positions": (-1, 16_777_216),
    "pad_token_id": (-1, 2**31 - 1),
    "num_labels": (1, 1_000_000),
}
# Some architectures have one of these for each layer; all other sizes are of the whole network.
_BY_LAYER = (
    *("num_attention_heads", "num_heads", "num_key_value_heads", "n_head", "n_heads", "head_dim"),
    *("hidden_size", "intermediate_size", "hidden_dim", "d_ff"),
)


def read_settings(path: Path, again: str = _AGAIN) -> dict[str, Any]:
    """Read a JSON file of settings; one that isn't there has none.

    A key that occurs twice is refused: readers disagree on which of the two values counts. `again` says what to do
    about a file that can't be used.
    """
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=unique_keys)
        _check_depth(found)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} can't be read: {error}. {again}") from error
    except RecursionError as error:
        raise InputError(f"{path} is nested more than {_DEEPEST} levels deep. {again}") from error
    if not isinstance(found, dict):
        raise InputError(f"{path} holds a JSON {type(found).__name__}, not an object of settings. {again}")
    return found


def check_sizes(settings: Mapping[str, Any], path: Path) -> None:
    """Refuse sizes that no network has."""
    for name, (least, most) in _SIZES.items():
        value = settings.get(name)
        if value is None:
            continue
        sizes = value if name in _BY_LAYER and isinstance(value, list) else [value]
        if not all(
            isinstance(size, int) and not isinstance(size, bool) and least <= size <= most for size in sizes
        ):
            raise InputError(
                f"{path} has the {name} {_short(value)}, not a whole number from {least} to {most:,}. {_AGAIN}"
            )


def check_token_files(settings: Mapping[str, Any], path: Path) -> None:
    """Refuse settings of a tokenizer that name files: it is made of those of its folder alone."""
    for name, value in settings.items():
        if name.endswith("_file") and value is not None:
            raise InputError(
                f"{path} has the {name} {_short(value)}, a file of its own choice. Remove the entry: the tokenizer "
                "is read from the files of its folder."
            )


def check_weight_files(index: Mapping[str, Any], path: Path) -> None:
    """Refuse an index of weights that leads out of the folder."""
    if not index:
        return
    files = index.get("weight_map")
    if not isinstance(files, dict) or not all(isinstance(name, str) for name in files.values()):
        raise InputError(f"{path} has no weight_map that names a file for each weight. {_AGAIN}")
    for name in sorted(set(files.values())):
        if name != Path(name).name or "\\" in name:
            raise InputError(
                f"{path} names the file {_short(name)}, which is not in its own folder. {_AGAIN}"
            )


def _check_depth(value: object, level: int = 0) -> None:
    """Refuse nesting that would exhaust the stack of the libraries that copy and compare settings."""
    if level > _DEEPEST:
        raise RecursionError
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inside:
        _check_depth(one, level + 1)


def _short(value: object) -> str:
    return f"{value!r:.60}"
