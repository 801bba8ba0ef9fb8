"""Evaluate models on challenge sets: specification, run, score, report.

specification  names, sizes and options of a run; nothing is built yet
models, sets   the models and sets of a run, built from its specification
steps          the steps on one set and one model
evaluate       all steps, into a run folder
compare        pairwise comparisons of the models of finished runs
gates          accuracies that a run must reach
"""
