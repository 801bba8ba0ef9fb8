"""The language resources behind one small door: tokens, tags, senses, inflection, numbers, names."""
