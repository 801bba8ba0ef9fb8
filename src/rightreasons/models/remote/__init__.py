"""Asking over the network: addresses, keys, manners, budgets, and what to make of failures."""
