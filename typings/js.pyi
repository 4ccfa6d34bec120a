"""What pysrc/cairn/browser uses of the browser's globals, as Pyodide shows them."""

from collections.abc import Awaitable
from typing import Any

from pyodide.ffi import JsBuffer, JsProxy

class _Performance:
    timeOrigin: float
    def now(self) -> float: ...

class _Object:
    def fromEntries(self, entries: Any) -> JsProxy: ...

class _URL:
    href: str
    origin: str
    host: str

class _URLClass:
    def new(self, url: str, base: str = ...) -> _URL: ...

class _AbortController:
    signal: JsProxy
    def abort(self) -> None: ...

class _AbortControllerClass:
    def new(self) -> _AbortController: ...

class _Chunk:
    done: bool
    value: JsBuffer

class _Reader:
    def read(self) -> Awaitable[_Chunk]: ...

class _Body:
    def getReader(self) -> _Reader: ...

class Response:
    ok: bool
    status: int
    headers: JsProxy
    body: _Body

performance: _Performance
Object: _Object
URL: _URLClass
AbortController: _AbortControllerClass

def fetch(url: str, options: JsProxy = ...) -> Awaitable[Response]: ...
