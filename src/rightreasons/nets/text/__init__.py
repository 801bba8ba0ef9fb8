"""How networks read text: from texts to tensors.

text_config    case, marks, limits and unknown words of a network
tokenization   texts as numbered words
parsers        trees for sentences without a parse
binary_parses  binary parses as words and trees
vector_files   file formats of word vectors
vectors        word vectors, read or random
vocabulary     the words of a network and their rows
encoder        texts as the tensors that networks take
"""
