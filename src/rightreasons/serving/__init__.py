"""A model as a server: the protocol of `http:` models, with limits."""
