"""Packs: one ZIP with documents and their indexes (FORMATS.md part 1), built, verified, opened.

``manifest`` says what a pack holds, ``archive`` reads the ZIP safely, ``recipe`` and ``build`` make
one, ``verify`` re-hashes it, ``install`` brings it onto the device, ``source`` searches it.
"""
