"""The CPython twins of ``cairn.browser``: files in a folder, fetch, the embedder on onnxruntime.

They serve the command line, evaluation and tests; the app never imports them.
"""
