"""What a run is asked to do: its sets and models, each with a name, its options and a file name.

choices      which options, and flags of the command, go to which set or model
corpora      which of the corpora of a run each set is made from
models       the models, one for each prompt where there are several, and the baselines beside them
naming       short names that tell parts apart
sets         the sets, by name, by pattern, or all of them
"""

from __future__ import annotations

from rightreasons.evaluation.run_spec.choices import check_flags, check_options, command_line, flag_options
from rightreasons.evaluation.run_spec.models import BASELINES, ModelEntry, model_entries
from rightreasons.evaluation.run_spec.sets import (
    SetEntry,
    expanded,
    is_pairs_file,
    left_out,
    read_file,
    set_entries,
    size_of,
)

__all__ = [
    "BASELINES",
    "ModelEntry",
    "SetEntry",
    "check_flags",
    "check_options",
    "command_line",
    "expanded",
    "flag_options",
    "is_pairs_file",
    "left_out",
    "model_entries",
    "read_file",
    "set_entries",
    "size_of",
]
