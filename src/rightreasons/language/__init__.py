"""English without a network: tokens, tags, sentences, senses, inflection, numbers and names.

tokens            the token table of texts, with Penn tags; by tokenizer and tagger, parses, or the spacy_adapter
tokenizer         Penn Treebank tokenisation with offsets; sentences splits texts
tagger            an averaged perceptron, with tagger_features and tagger_weights
parse_alignment   tokens and tags of a Penn tree, aligned with its text
wordnet           synsets, antonyms, base forms; wordnet_index holds the compact index, senses the Lesk algorithm
english_words     whether a string is an English word; inflection changes number, degree, article and case
numbers           number expressions and their values; number_contexts says what a number is used for
names             people, places and organisations, found by lists and context (name_clues)
shingles          character shingles, to find near duplicates
"""
