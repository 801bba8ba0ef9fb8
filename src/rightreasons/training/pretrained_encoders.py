"""Pretrained encoders with a head for our labels; a head that was trained on the same labels is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from rightreasons.core import labels
from rightreasons.core.errors import InputError
from rightreasons.models.library_errors import convert_load_errors
from rightreasons.models.model_settings import (
    check_size_settings,
    get_model_file_path,
    load_transformers_config,
    read_json_settings,
    refuse_untrusted_code,
)
from rightreasons.models.output_labels import read_output_names

CONFIG = "config.json"
HEAD = "ForSequenceClassification"  # ends the name of a class that has a head for labels
# Names of dropout in the configurations of encoders; each has some of these.
DROPOUTS = (
    "hidden_dropout_prob",
    "attention_probs_dropout_prob",
    "classifier_dropout_prob",
    "dropout",
    "attention_dropout",
    "seq_classif_dropout",
    "hidden_dropout",
    "embedding_dropout",
    "classifier_dropout",
    "mlp_dropout",
)


def load_tokenizer(encoder: str) -> Any:
    """Load the tokenizer of an encoder."""
    folder = _resolve_encoder_folder(encoder)
    with convert_load_errors(f"The encoder {encoder!r}", folder):
        from transformers import AutoTokenizer

        config = load_transformers_config(folder, _read_encoder_settings(encoder, folder), None)
        tokenizer = AutoTokenizer.from_pretrained(folder, config=config, trust_remote_code=False)
        fast = getattr(tokenizer, "backend_tokenizer", None)
        if fast is None or tokenizer.pad_token_id is None:
            raise InputError(
                f"The encoder {encoder!r} has no fast tokenizer with a padding token. Save such a "
                "tokenizer (tokenizer.json) in a copy of its folder."
            )
        return tokenizer


def load_classifier(encoder: str, order: tuple[str, ...], *, seed: int, dropout: float | None = None) -> Any:
    """Load an encoder with an output for each label in this order.

    A head that was trained on the same labels is kept, with its outputs reordered by name. One with unknown names, or
    with another number of outputs, is initialised at random, as is a missing one: always the same for one seed.
    """
    folder = _resolve_encoder_folder(encoder)
    with convert_load_errors(f"The encoder {encoder!r}", folder):
        from transformers import AutoModelForSequenceClassification

        settings = _read_encoder_settings(encoder, folder)
        saved = _read_saved_labels(settings, Path(folder, CONFIG))
        config = load_transformers_config(folder, settings, order)
        _set_dropout(config, dropout, encoder)
        torch.manual_seed(seed)
        model = AutoModelForSequenceClassification.from_pretrained(
            folder, config=config, ignore_mismatched_sizes=True, trust_remote_code=False, weights_only=True
        )
    if len(saved) == len(order) and tuple(saved) != order:
        torch.manual_seed(seed)
        _reorder_classifier_head(model, saved, order)
    return model


def _read_encoder_settings(encoder: str, folder: str) -> dict[str, Any]:
    """Read the settings of an encoder; one that needs remote code is refused."""
    files = (CONFIG, "tokenizer_config.json")
    settings = {name: read_json_settings(get_model_file_path(folder, name)) for name in files}
    refuse_untrusted_code(settings, encoder, trusted=None)
    check_size_settings(settings[CONFIG], Path(folder, CONFIG))
    return settings[CONFIG]


def _read_saved_labels(settings: dict[str, Any], path: Path) -> list[str | None]:
    """List the labels of the outputs of an existing head; None for an unknown name."""
    if not any(str(name).endswith(HEAD) for name in settings.get("architectures") or ()):
        return []
    return [labels.find_label(name) for name in read_output_names(settings, path) or ()]


def _reorder_classifier_head(model: Any, saved: list[str | None], order: tuple[str, ...]) -> None:
    """Reorder the outputs of a saved head; initialise it at random if the names do not identify them."""
    inside = f"{model.base_model_prefix}."
    head = {name: weight for name, weight in model.named_parameters() if not name.startswith(inside)}
    if set(saved) != set(order):
        drawn = dict(type(model)(model.config).named_parameters())
        head = {name: drawn[name] for name in head}
        rows = list(range(len(order)))
    else:
        rows = [saved.index(label) for label in order]
    own = dict(model.named_parameters())
    with torch.no_grad():
        for name, weight in head.items():
            own[name].copy_(weight[rows] if len(weight) == len(order) else weight)


def _set_dropout(config: Any, dropout: float | None, encoder: str) -> None:
    """Set all dropout of an encoder; None leaves it unchanged."""
    if dropout is None:
        return
    known = [name for name in DROPOUTS if isinstance(getattr(config, name, None), float | int)]
    if not known:
        raise InputError(
            f"The encoder {encoder!r} has no dropout that could be set. Remove the option dropout."
        )
    for name in known:
        setattr(config, name, dropout)


def _resolve_encoder_folder(encoder: str) -> str:
    """Find the folder of an encoder in an installed package; folders and hub names are returned unchanged."""
    from importlib.util import find_spec

    module = encoder.replace("-", "_")
    if Path(encoder).exists() or not module.isidentifier():
        return encoder
    spec = find_spec(module)
    folders = spec.submodule_search_locations or [] if spec else []
    inside = [Path(folder) / "model" for folder in folders]
    return next((str(folder) for folder in inside if (folder / "config.json").exists()), encoder)
