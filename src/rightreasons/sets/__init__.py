"""The challenge sets: each is a frozen dataclass whose fields are its options, with one method, `plan`.

template_set, corpus_set   what sets made from templates, and sets made from a corpus, have in common
template_file              a set that a user describes in a TOML file
"""
