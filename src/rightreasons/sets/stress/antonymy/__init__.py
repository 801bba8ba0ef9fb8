"""Stress test: antonymy."""
