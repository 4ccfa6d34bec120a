"""Packs: adding them from chosen files."""

from __future__ import annotations

from cairn.protocol.jsonrpc import Methods

METHODS: Methods = {
    # key names one file that the page has sent ({type: "files", key, files} on its port); -> SourceInfo
    "packs.add": (frozenset({"key"}), frozenset()),
}

NOTIFICATIONS: frozenset[str] = frozenset()
