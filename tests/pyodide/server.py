"""A local server that lays several folders and a few made files over each other."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".mjs": "text/javascript",
    ".js": "text/javascript",
    ".json": "application/json",
    ".wasm": "application/wasm",
}


@contextmanager
def serving(folders: Mapping[str, Path], made: Mapping[str, bytes]) -> Iterator[str]:
    """Serve folders by URL prefix (the longest wins) and made files by path; yields the origin."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            body = made.get(path)
            if body is None:
                body = _read(folders, path)
            self.send_response(200 if body is not None else 404)
            self.send_header("Content-Type", TYPES.get(Path(path).suffix, "application/octet-stream"))
            self.send_header("Content-Length", str(len(body or b"")))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _read(folders: Mapping[str, Path], path: str) -> bytes | None:
    for prefix in sorted(folders, key=len, reverse=True):
        if path.startswith(prefix):
            file = (folders[prefix] / path.removeprefix(prefix)).resolve()
            inside = file.is_relative_to(folders[prefix].resolve())
            return file.read_bytes() if inside and file.is_file() else None
    return None
