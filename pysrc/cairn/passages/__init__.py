"""Text to passages: blocks, sentences, chunks, token estimates, words, ids, languages.

Pure functions of text; nothing here touches files, clocks, workers or the network. Import from the
modules: ``chunker.chunk``, ``tokens.estimate_tokens``, ``sentences.sentences``, ``words.words``,
``words.grams``, ``words.search_terms``, ``stopwords.stop_words``, ``ids.passage_id``.
"""
