"""Networks: torch modules that know tensors only, one file each, with the sizes of their papers as defaults.

sentences    what every network takes
network      a table of word vectors with a network on top
masks        softmax, maximum and mean over words alone
recurrent    a bi-LSTM that never sees padding
table        the networks by name, their presets, and how many parameters they have
"""

from __future__ import annotations

from rightreasons.nets.table import NETS, count_parameters, make_net

__all__ = ["NETS", "count_parameters", "make_net"]
