"""Code of a model's author: it runs only where the user says so, and standard input is never asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

OPTION = "trust_remote_code"
_CLASSES = ("AutoConfig", "AutoTokenizer", "AutoModelForSequenceClassification")  # that are loaded here
_KERNELS = ("attn_implementation", "_attn_implementation", "_attn_implementation_internal")


def check_code(settings: Mapping[str, Mapping[str, Any]], model: str, *, trusted: bool | None) -> None:
    """Refuse a model that is its author's code, unless that is trusted.

    Transformers would take its own class for a known `model_type`; that may be another network than the author's.

    Args:
        settings: by the name of their file.
        model: what messages call the model.
        trusted: whether the user trusts the code; None where there is no such choice.
    """
    for file, found in settings.items():
        named = [*_code_of(found.get("auto_map"), file, model), *_kernels_of(found)]
        if named and not trusted:
            advice = (
                "Use a model without code" if trusted is None else f"If you trust it, add -o {OPTION}=true"
            )
            raise InputError(
                f"The model {model!r} is code of its author, which is not run: {file} names {named[0]}. {advice}; "
                f"or delete auto_map in a copy of {file} to compute with what transformers itself has."
            )
        elsewhere = [name for name in named if "--" in name]
        if elsewhere:
            raise InputError(
                f"The code of the model {model!r} is in another repository: {file} names {elsewhere[0]}. "
                "Copy that code into the model's folder and name it there, so that it stays what it is."
            )


def check_adapter(settings: Mapping[str, Any], model: str) -> None:
    """Refuse an adapter: the network that it changes is elsewhere, and whether it is applied depends on packages."""
    if settings:
        raise InputError(
            f"The model {model!r} has an adapter (adapter_config.json). Merge it into its base model "
            "(merge_and_unload in peft) and save the whole, or remove the adapter's files."
        )


def _code_of(auto_map: object, file: str, model: str) -> list[str]:
    """List the classes of the author's that would be loaded."""
    if auto_map is None:
        return []
    if isinstance(auto_map, list):  # an old way to name the two classes of a tokenizer
        return [str(name) for name in auto_map if name is not None]
    if not isinstance(auto_map, dict):
        raise InputError(
            f"{file} of the model {model!r} has the auto_map {auto_map!r:.60}, not a map of classes. Save it again."
        )
    return [str(auto_map[name]) for name in _CLASSES if auto_map.get(name)]


def _kernels_of(settings: Mapping[str, Any]) -> list[str]:
    """List compiled kernels that would be fetched from the hub."""
    wanted = (settings.get(name) for name in _KERNELS)
    return [f"the kernel {name}" for name in wanted if isinstance(name, str) and "/" in name]
