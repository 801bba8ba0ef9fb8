"""Words as networks read them: vectors, vocabularies, texts as rows of numbers.

vector_files   files of word vectors, of several kinds
vectors        word vectors, from a file or drawn
reading        how each network reads: case, marks, limits, unknown words
splitting      texts cut into words, each different one kept once
spelling       words as letters
vocabulary     the words that a network knows, and their rows of the table
layout         which words of a sentence are read, and where marks go
reader         texts as the tensors that networks take
learning       vocabulary, table and reader from training texts
parsing        binary trees of sentences
parsers        trees for sentences that have none
"""
