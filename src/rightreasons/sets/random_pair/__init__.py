"""Random Pair: premise and hypothesis of unrelated sentences."""
