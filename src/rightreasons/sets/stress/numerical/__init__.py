"""Stress test: numerical reasoning."""
