"""The settings of a transformers model as an object of that library, with outputs whose names were checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MAPS = ("id2label", "label2id", "num_labels")


def find_file(source: str, name: str, revision: str | None = None) -> Path:
    """Find a file of a folder, or of a name on the hub; it need not be there."""
    if Path(source).is_dir():
        return Path(source, name)
    from transformers.utils.hub import cached_file

    found = cached_file(source, name, revision=revision, _raise_exceptions_for_missing_entries=False)
    return Path(found or Path(source, name))


def load_config(
    source: str,
    settings: Mapping[str, Any],
    names: Sequence[str] | None,
    *,
    revision: str | None = None,
    trusted: bool = False,
) -> Any:
    """Load the settings; with `names`, these are the names of the outputs, whatever the file says.

    Transformers can't read every label map that a file may have, so the map is replaced before it sees it.
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
    others = {name: value for name, value in settings.items() if name not in _MAPS}
    maps = {"id2label": dict(enumerate(names)), "label2id": {name: i for i, name in enumerate(names)}}
    return kind.from_dict({**others, **maps}, name_or_path=source)
