"""Everything that predicts: networks, functions, rules, baselines, files of predictions."""
