"""The vector kernel over WebAssembly (workers/vectors.mjs). Its twin: :mod:`cairn.index.kernel_file`.

A query (4 bytes a dimension) and a filter (1 bit a row) are copied to JavaScript, the hits back;
vectors never pass through Python's memory.
"""

from __future__ import annotations

from array import array
from typing import Protocol

from pyodide.ffi import JsException, JsProxy, to_js

from cairn.browser.files import typed
from cairn.errors import PackInvalid
from cairn.index.kernel import STEP_ROWS, Keep, VectorLayout, check_search, run
from cairn.index.types import Hit


class LoadingProxy(Protocol):
    """``Loading`` of workers/vectors.mjs."""

    def step(self, rows: int) -> bool:
        """Go on for about this many rows."""


class _Found(Protocol):
    rows: JsProxy
    scores: JsProxy


class SearchProxy(Protocol):
    """``VectorSearch`` of workers/vector-search.mjs."""

    def step(self, rows: int) -> bool:
        """Go on for about this many rows."""

    def hits(self) -> _Found:
        """Rows and scores, best first."""

    def close(self) -> None:
        """Stop."""


class KernelHost(Protocol):
    """``workers/vectors-host.mjs``."""

    kind: str  # "simd" or "scalar"

    def load(
        self, key: str, path: str, rows: int, dimensions: int, offset: int, norms: int, keep: str
    ) -> LoadingProxy:
        """Begin to load."""

    def unload(self, key: str) -> None:
        """Forget a file."""

    def search(self, key: str, query: JsProxy, limit: int, allowed: JsProxy | None) -> SearchProxy:
        """Begin a search."""


class WasmKernel:
    """Implements :class:`cairn.index.kernel.VectorKernel`."""

    def __init__(self, host: KernelHost) -> None:
        self._host = host
        self._layouts: dict[str, VectorLayout] = {}

    def load(self, key: str, path: str, layout: VectorLayout, keep: Keep = "rows") -> None:
        """Read a file into WebAssembly memory; see the port."""
        try:
            loading = self._host.load(
                key, path, layout.rows, layout.dimensions, layout.offset, layout.norms, keep
            )
            while not loading.step(STEP_ROWS):
                pass
        except JsException as error:
            raise _typed(error, path) from error
        self._layouts[key] = layout

    def unload(self, key: str) -> None:
        """Give the memory back."""
        self._layouts.pop(key, None)
        self._host.unload(key)

    def begin(self, key: str, query: array[float], limit: int, allowed: bytes | None = None) -> WasmScan:
        """Begin a search; see the port."""
        check_search(self._layouts[key], query, allowed)
        filter_ = None if allowed is None else to_js(allowed)
        try:
            return WasmScan(self._host.search(key, to_js(query), limit, filter_))
        except JsException as error:
            raise _typed(error, key) from error

    def search(self, key: str, query: array[float], limit: int, allowed: bytes | None = None) -> list[Hit]:
        """A whole search."""
        return run(self.begin(key, query, limit, allowed))


class WasmScan:
    """Implements :class:`cairn.index.kernel.VectorScan`."""

    def __init__(self, search: SearchProxy) -> None:
        self._search = search

    def step(self, rows: int) -> bool:
        """Go on for about this many rows; True when done."""
        try:
            return self._search.step(rows)
        except JsException as error:
            raise _typed(error, "vectors") from error

    def hits(self) -> list[Hit]:
        """The hits, best first."""
        found = self._search.hits()
        return [Hit(*pair) for pair in zip(found.rows.to_py(), found.scores.to_py(), strict=True)]

    def close(self) -> None:
        """Stop; harmless when done."""
        self._search.close()


def _typed(error: JsException, name: str) -> Exception:
    if error.name == "VectorsInvalid":
        return PackInvalid(
            f"The vector file is not usable: {error.message}", hint="Get the pack again from its maker."
        )
    if error.name == "RangeError":  # WebAssembly.Memory has no room
        return MemoryError(error.message)
    return typed(error, name)
