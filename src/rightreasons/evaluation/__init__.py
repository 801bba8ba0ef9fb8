"""Evaluate: specification, run, score."""
