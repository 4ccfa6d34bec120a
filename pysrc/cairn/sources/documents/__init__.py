"""The person's own documents: imported, kept, searched and read.

``readers`` turn files into text, ``cutting`` turns text into passages, ``database`` keeps both in
``library.db``, ``importing`` runs the queue, ``source`` is what retrieval asks.
"""
