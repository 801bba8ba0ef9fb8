"""The settings of a model folder: read strictly, and checked before a library reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import InputError
from rightreasons.core.text_errors import refuse_repeated_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_SAVE_AGAIN = "Save the model again."
_MAX_DEPTH = 100  # levels of lists and objects; real settings have fewer than ten
# Smallest and largest values, far beyond real networks: a library would divide by zero or run out of memory.
_LAYER_RANGE, _HEAD_RANGE, _WIDTH_RANGE = (0, 1_000), (1, 4_096), (1, 1_048_576)
_SIZE_RANGES: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("num_hidden_layers", "num_layers", "n_layer", "n_layers"), _LAYER_RANGE),
    **dict.fromkeys(
        ("encoder_layers", "decoder_layers", "num_hidden_groups", "inner_group_num"), _LAYER_RANGE
    ),
    **dict.fromkeys(("num_attention_heads", "num_heads", "n_head", "n_heads"), _HEAD_RANGE),
    **dict.fromkeys(
        ("encoder_attention_heads", "decoder_attention_heads", "num_key_value_heads"), _HEAD_RANGE
    ),
    **dict.fromkeys(("hidden_size", "embedding_size", "d_model", "dim", "n_embd"), _WIDTH_RANGE),
    **dict.fromkeys(("intermediate_size", "hidden_dim", "d_ff", "d_kv", "head_dim"), _WIDTH_RANGE),
    "vocab_size": (1, 16_777_216),
    "type_vocab_size": (0, 65_536),
    "max_position_embeddings": (-1, 16_777_216),
    "n_positions": (-1, 16_777_216),
    "pad_token_id": (-1, 2**31 - 1),
    "num_labels": (1, 1_000_000),
}
# Some architectures have one of these for each layer; all other sizes are of the whole network.
_PER_LAYER_SIZES = (
    *("num_attention_heads", "num_heads", "num_key_value_heads", "n_head", "n_heads", "head_dim"),
    *("hidden_size", "intermediate_size", "hidden_dim", "d_ff"),
)


def read_json_settings(path: Path, advice: str = _SAVE_AGAIN) -> dict[str, Any]:
    """Read a JSON file of settings; a missing file has no settings.

    A key that occurs twice is refused: readers disagree on which of the two values counts. `advice` says what to
    do about a file that can't be used.
    """
    if not path.exists():
        return {}
    try:
        settings = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=refuse_repeated_keys)
        _check_nesting_depth(settings)
    except (OSError, ValueError) as error:
        problem = "can't be read" if isinstance(error, OSError) else "is not valid JSON"
        raise InputError(f"{path} {problem}: {error}. {advice}") from error
    except RecursionError as error:
        raise InputError(f"{path} is nested more than {_MAX_DEPTH} levels deep. {advice}") from error
    if not isinstance(settings, dict):
        raise InputError(
            f"{path} contains a JSON {type(settings).__name__} instead of an object with settings. {advice}"
        )
    return settings


def check_size_settings(settings: Mapping[str, Any], path: Path) -> None:
    """Refuse impossible sizes."""
    for name, (least, most) in _SIZE_RANGES.items():
        value = settings.get(name)
        if value is None:
            continue
        sizes = value if name in _PER_LAYER_SIZES and isinstance(value, list) else [value]
        if not all(
            isinstance(size, int) and not isinstance(size, bool) and least <= size <= most for size in sizes
        ):
            raise InputError(
                f"The setting {name} in {path} is {_shorten_value(value)}, not an integer from {least} to {most:,}. "
                f"{_SAVE_AGAIN}"
            )


def refuse_tokenizer_file_settings(settings: Mapping[str, Any], path: Path) -> None:
    """Refuse settings of a tokenizer that name files: only the files of its own folder are used."""
    for name, value in settings.items():
        if name.endswith("_file") and value is not None:
            raise InputError(
                f"The setting {name} in {path} names the file {_shorten_value(value)}. Remove the setting: a tokenizer "
                "is loaded only from the standard files of its folder."
            )


def check_weight_index(index: Mapping[str, Any], path: Path) -> None:
    """Refuse an index of weights that names files outside its folder."""
    if not index:
        return
    files = index.get("weight_map")
    if not isinstance(files, dict) or not all(isinstance(name, str) for name in files.values()):
        raise InputError(f"{path} has no weight_map that names a file for each weight. {_SAVE_AGAIN}")
    for name in sorted(set(files.values())):
        if name != Path(name).name or "\\" in name:
            raise InputError(
                f"{path} refers to the file {_shorten_value(name)}, which is not in the same folder. {_SAVE_AGAIN}"
            )


def _check_nesting_depth(value: object, level: int = 0) -> None:
    """Refuse nesting that would exhaust the stack of the libraries that copy and compare settings."""
    if level > _MAX_DEPTH:
        raise RecursionError
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in inside:
        _check_nesting_depth(item, level + 1)


def _shorten_value(value: object) -> str:
    return f"{value!r:.60}"


_LABEL_SETTINGS = ("id2label", "label2id", "num_labels")


def get_model_file_path(source: str, name: str, revision: str | None = None) -> Path:
    """Return the path of a file of a folder, or of a model on the Hugging Face Hub; it may not exist."""
    if Path(source).is_dir():
        return Path(source, name)
    from transformers.utils.hub import cached_file

    cached = cached_file(source, name, revision=revision, _raise_exceptions_for_missing_entries=False)
    return Path(cached or Path(source, name))


def load_transformers_config(
    source: str,
    settings: Mapping[str, Any],
    names: Sequence[str] | None,
    *,
    revision: str | None = None,
    trusted: bool = False,
) -> Any:
    """Load the configuration; `names` replace the names of the outputs in the file.

    Transformers can't read every label map, so it is replaced before transformers reads it.
    """
    from transformers import CONFIG_MAPPING, AutoConfig
    from transformers.dynamic_module_utils import get_class_from_dynamic_module

    own = (settings.get("auto_map") or {}).get("AutoConfig")
    if names is None or (own is None and settings.get("model_type") not in CONFIG_MAPPING):
        return AutoConfig.from_pretrained(source, revision=revision, trust_remote_code=trusted)
    kind: Any
    if own is not None and trusted:
        kind = get_class_from_dynamic_module(own, source, revision=revision)
    else:
        kind = CONFIG_MAPPING[settings["model_type"]]
    others = {name: value for name, value in settings.items() if name not in _LABEL_SETTINGS}
    maps = {"id2label": dict(enumerate(names)), "label2id": {name: i for i, name in enumerate(names)}}
    return kind.from_dict({**others, **maps}, name_or_path=source)


TRUST_OPTION = "trust_remote_code"
_LOADED_CLASSES = (
    "AutoConfig",
    "AutoTokenizer",
    "AutoModelForSequenceClassification",
)  # the classes that are loaded here
_KERNEL_SETTINGS = ("attn_implementation", "_attn_implementation", "_attn_implementation_internal")


def refuse_untrusted_code(
    settings: Mapping[str, Mapping[str, Any]], model: str, *, trusted: bool | None
) -> None:
    """Refuse a model with its author's code, unless that is trusted.

    For a known `model_type`, transformers would use its own class, which may differ from the author's.

    Args:
        settings: the settings of each file, by its name.
        model: the name of the model, for messages.
        trusted: whether the user trusts the code; None where there is no such choice.
    """
    for file, entries in settings.items():
        named = [*_list_author_classes(entries.get("auto_map"), file, model), *_list_hub_kernels(entries)]
        if named and not trusted:
            advice = (
                "Use a model without code"
                if trusted is None
                else f"If you trust it, add -o {TRUST_OPTION}=true"
            )
            raise InputError(
                f"The model {model!r} requires code of its author, which is not run: {file} names {named[0]}. "
                f"{advice}; or delete auto_map in a copy of {file} to use the classes of transformers."
            )
        elsewhere = [name for name in named if "--" in name]
        if elsewhere:
            raise InputError(
                f"The code of the model {model!r} is in another repository: {file} names {elsewhere[0]}. "
                f"Copy that code to the model's folder and name the copy in {file}, so that the code can't change."
            )


def refuse_adapter(settings: Mapping[str, Any], model: str) -> None:
    """Refuse an adapter: its base model is elsewhere, and whether it is applied depends on installed packages."""
    if settings:
        raise InputError(
            f"The model {model!r} has an adapter (adapter_config.json). Merge it into its base model "
            "(merge_and_unload in peft) and save the merged model, or remove the adapter's files."
        )


def _list_author_classes(auto_map: object, file: str, model: str) -> list[str]:
    """List the classes of the author that would be loaded."""
    if auto_map is None:
        return []
    if isinstance(auto_map, list):  # an old way to name the two classes of a tokenizer
        return [str(name) for name in auto_map if name is not None]
    if not isinstance(auto_map, dict):
        raise InputError(
            f"The auto_map in {file} of the model {model!r} is {auto_map!r:.60}, not a map of classes. {_SAVE_AGAIN}"
        )
    return [str(auto_map[name]) for name in _LOADED_CLASSES if auto_map.get(name)]


def _list_hub_kernels(settings: Mapping[str, Any]) -> list[str]:
    """List compiled kernels that would be downloaded from the hub."""
    wanted = (settings.get(name) for name in _KERNEL_SETTINGS)
    return [f"the kernel {name}" for name in wanted if isinstance(name, str) and "/" in name]
