"""Counting right answers: by tags and true label, with intervals, and in published layouts."""
