"""Models behind a server: addresses, keys, retries, budgets, and the handling of failures."""
