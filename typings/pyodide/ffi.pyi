"""What pysrc/cairn/browser uses of Pyodide's foreign function interface."""

from collections.abc import Callable
from typing import Any

class JsProxy:
    def to_py(self) -> Any: ...

class JsBuffer(JsProxy):
    def to_bytes(self) -> bytes: ...

class JsDoubleProxy(JsProxy):
    def destroy(self) -> None: ...

class JsException(Exception):
    name: str
    message: str

def create_proxy(obj: Callable[..., object]) -> JsDoubleProxy: ...
def to_js(
    obj: object, *, dict_converter: Callable[..., Any] | None = ..., create_pyproxies: bool = ...
) -> JsProxy: ...
