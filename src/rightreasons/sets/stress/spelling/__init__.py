"""Stress test: spelling errors."""
