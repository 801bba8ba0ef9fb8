"""Networks: torch modules that know tensors only, one file and one declaration each.

declaration  the declaration of a network, and the networks by name
recipe       how a model is trained
batches      batches of sentences, and a network over a table of word vectors
layers       pooling over words, and a bi-LSTM that never sees padding
forests      the binary trees of a batch
pretraining  tasks on which jiant's encoder is trained first
text         from texts to batches: vectors, vocabularies, parses
"""

from __future__ import annotations

from rightreasons.nets.declaration import NETS, count_parameters, make_net

__all__ = ["NETS", "count_parameters", "make_net"]
