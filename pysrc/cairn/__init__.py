"""Cairn: an offline library that answers, in the browser and on CPython.

Importing this package costs nothing and pulls in no part of it: the browser starts from a
memory snapshot and loads each part when it is first needed.
"""

__version__ = "0.1.0"
