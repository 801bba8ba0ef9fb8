"""The NLI Stress Tests."""
