"""Everything that answers: rules, baselines, files of predictions."""
