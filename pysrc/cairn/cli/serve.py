"""Serve the built site on this machine: HTTP/1.1, ranges, content types, isolation, CSP.

The headers are the ones that any host of Cairn should send; the service worker adds the
isolation headers where a host cannot.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import struct
import sys
import threading
import webbrowser
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit, urlunsplit

from cairn.cli import checkout

DEFAULT_PORT = 8470
_CHUNK = 1 << 18
_IDLE_SECONDS = 75

# Named one by one: the operating system's table must not decide, and .gz files are data here,
# so none of them is announced as a content encoding.
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".gz": "application/gzip",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".onnx": "application/octet-stream",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".py": "text/x-python; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".whl": "application/zip",
    ".woff2": "font/woff2",
    ".zip": "application/zip",
}

_ISOLATION = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
    "Accept-Ranges": "bytes",
}


def _policy(script: str) -> str:
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' {script}",
            "worker-src 'self' blob:",
            "style-src 'self'",
            "img-src 'self' data: blob:",
            "connect-src 'self' blob: data:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'self'",
        )
    )


# PyScript compiles its bridge to MicroPython with `new Function`; a worker gets the policy of its
# own script. Pages that show imported text must not be able to evaluate any.
APP_POLICY = _policy("'unsafe-eval' 'wasm-unsafe-eval' blob:")
READER_POLICY = _policy("'wasm-unsafe-eval'")


def policy_for(path: str) -> str:
    """Return the content security policy of a path."""
    return READER_POLICY if path.startswith("/reader/") else APP_POLICY


@dataclass(frozen=True)
class Served:
    """What is sent: a file, or bytes [offset, offset + size) of one (a member of a ZIP that is stored)."""

    file: Path
    suffix: str
    offset: int = 0
    size: int | None = None  # None: to the end


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD from the server's folders."""

    protocol_version = "HTTP/1.1"
    timeout = _IDLE_SECONDS
    server: SiteServer

    def do_GET(self) -> None:
        """Send a file, or the part of it that was asked for."""
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        """Send only the headers."""
        self._answer(with_body=False)

    def _answer(self, with_body: bool) -> None:
        path = unquote(urlsplit(self.path).path, errors="replace")
        served = self.server.locate(path)
        if served is None:
            self._refuse(HTTPStatus.NOT_FOUND, path)
            return
        try:
            stream = served.file.open("rb")
        except OSError:
            self._refuse(HTTPStatus.NOT_FOUND, path)
            return
        with stream:
            self._send_file(stream, served, path, with_body)

    def _send_file(self, stream: BinaryIO, served: Served, path: str, with_body: bool) -> None:
        stat = served.file.stat()
        size = stat.st_size if served.size is None else served.size
        tag = f'"{size:x}-{stat.st_mtime_ns:x}-{stat.st_ino:x}-{served.offset:x}"'
        if tag in self.headers.get("If-None-Match", ""):
            self._headers(HTTPStatus.NOT_MODIFIED, path, {"ETag": tag})
            return
        wanted = self.headers.get("Range", "")
        if self.headers.get("If-Range", tag) != tag:
            wanted = ""  # the file changed since the first part: send all of it
        part = parse_range(wanted, size)
        fields = {
            "Content-Type": _TYPES.get(served.suffix, "application/octet-stream"),
            "ETag": tag,
            "Last-Modified": formatdate(stat.st_mtime, usegmt=True),
        }
        if part is None:
            fields |= {"Content-Range": f"bytes */{size}", "Content-Length": "0"}
            self._headers(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, path, fields)
            return
        start, end = part
        fields["Content-Length"] = str(end - start)
        partial = bool(wanted) and (start, end) != (0, size)
        if partial:
            fields["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
        self._headers(HTTPStatus.PARTIAL_CONTENT if partial else HTTPStatus.OK, path, fields)
        if with_body:
            self._send_bytes(stream, served.offset + start, end - start)

    def _headers(self, status: HTTPStatus, path: str, fields: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**_ISOLATION, "Content-Security-Policy": policy_for(path), **fields}.items():
            self.send_header(name, value)
        self.end_headers()

    def _send_bytes(self, stream: BinaryIO, start: int, left: int) -> None:
        stream.seek(start)
        while left and (chunk := stream.read(min(_CHUNK, left))):
            self.wfile.write(chunk)
            left -= len(chunk)
        if left:  # the file shrank under us: the promised length can only be broken off
            self.close_connection = True

    def _refuse(self, status: HTTPStatus, path: str) -> None:
        body = f"{status.phrase}\n".encode()
        fields = {"Content-Type": _TYPES[".txt"], "Content-Length": str(len(body))}
        self._headers(status, path, fields)
        if self.command != "HEAD":
            self.wfile.write(body)

    def version_string(self) -> str:
        """Name the server without the Python version."""
        return "cairn"

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet unless asked: a start alone makes a hundred requests."""
        if self.server.verbose:
            super().log_message(format, *args)


_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


def parse_range(header: str, size: int) -> tuple[int, int] | None:
    """Return (start, end) of the bytes to send; None when none of them exist.

    Several ranges at once are answered with the whole file, which the protocol allows.
    """
    match = _RANGE.fullmatch(header.strip())
    if not match or match.group(0) == "bytes=-":
        return 0, size
    first, last = match.groups()
    if not first:
        count = min(int(last), size)
        return (size - count, size) if count else None
    start = int(first)
    end = min(int(last) + 1, size) if last else size
    if last and int(last) < start:
        return 0, size  # not a valid range: the header is to be ignored
    return (start, end) if start < size else None


class SiteServer(ThreadingHTTPServer):
    """An HTTP server of one site folder, and of further folders at prefixes of their own."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(
        self,
        root: Path,
        host: str = "127.0.0.1",
        port: int = 0,
        extra: Mapping[str, Path] | None = None,
        verbose: bool = False,
    ) -> None:
        """Bind at once; `extra` maps URL prefixes such as "/models/e5-tiny" to folders."""
        self.verbose = verbose
        self._folders = [(prefix.rstrip("/"), folder.resolve()) for prefix, folder in (extra or {}).items()]
        self._folders.append(("", root.absolute()))  # not resolved: the site is replaced by renames
        super().__init__((host, port), _Handler)

    @property
    def url(self) -> str:
        """Return the address to open; browsers trust `localhost` names and 127.0.0.1 alike."""
        host, port = self.server_address[:2]
        name = host.decode() if isinstance(host, bytes | bytearray) else host
        local = "127.0.0.1" if name in ("0.0.0.0", "::") else name
        return urlunsplit(("http", f"{local}:{port}", "/", "", ""))

    def locate(self, path: str) -> Served | None:
        """Return what is served at a decoded URL path, or None; nothing outside the folders is reachable."""
        if "\0" in path or "\\" in path or ".." in path.split("/"):
            return None
        for prefix, folder in self._folders:
            if path.startswith(f"{prefix}/"):
                file = folder / (path[len(prefix) :].lstrip("/") or "index.html")
                if path.endswith("/"):
                    file = file if file.suffix else file / "index.html"
                inside = file.resolve().is_relative_to(folder.resolve())
                return Served(file, file.suffix) if inside and file.is_file() else None
        return None

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of browsers that hang up; show real faults."""
        error = sys.exception() if sys.version_info >= (3, 12) else sys.exc_info()[1]
        if not isinstance(error, ConnectionError | TimeoutError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class ZippedSite(SiteServer):
    """Serves a site out of a ZIP whose members below ``site/`` are stored, without unpacking it."""

    def __init__(self, archive: Path, host: str = "127.0.0.1", port: int = 0, verbose: bool = False) -> None:
        """Bind at once; raises OSError or zipfile.BadZipFile when the ZIP cannot be read."""
        self._members = dict(stored_members(archive))
        super().__init__(archive, host, port, verbose=verbose)

    def locate(self, path: str) -> Served | None:
        """Return the member of a decoded URL path, or None."""
        name = path.lstrip("/") or "index.html"
        return self._members.get(name + "index.html" if name.endswith("/") else name)


_LOCAL_HEADER = 30  # bytes before the name in a local file header (APPNOTE.TXT 4.3.7)


def stored_members(archive: Path) -> Iterator[tuple[str, Served]]:
    """Yield path and place of each stored member below ``site/``."""
    with zipfile.ZipFile(archive) as source, archive.open("rb") as raw:
        for member in source.infolist():
            name = member.filename.removeprefix("site/")
            if name == member.filename or member.compress_type != zipfile.ZIP_STORED:
                continue
            raw.seek(member.header_offset)
            header = raw.read(_LOCAL_HEADER)
            start = member.header_offset + _LOCAL_HEADER + sum(struct.unpack("<HH", header[26:30]))
            yield name, Served(archive, Path(name).suffix, start, member.file_size)


@contextlib.contextmanager
def serving(
    root: Path, extra: Mapping[str, Path] | None = None, host: str = "127.0.0.1", port: int = 0
) -> Iterator[SiteServer]:
    """Serve in the background for the length of a `with` block (tests, benchmarks)."""
    server = SiteServer(root, host, port, extra)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def open_server(root: Path, host: str, port: int | None, verbose: bool = False) -> SiteServer:
    """Bind to the port asked for, or to the default one, or to any free one.

    ``root`` is a folder, or a ZIP that holds the site (./cairn pyz makes one).
    """
    kind = SiteServer if root.is_dir() else ZippedSite
    if port is not None:
        return kind(root, host, port, verbose=verbose)
    try:
        return kind(root, host, DEFAULT_PORT, verbose=verbose)
    except OSError:
        return kind(root, host, 0, verbose=verbose)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that `serve` and `run` share."""
    parser.add_argument("--port", type=int, help=f"a fixed port (default: {DEFAULT_PORT}, or a free one)")
    parser.add_argument("--host", default="127.0.0.1", help="another interface than this machine's own")
    parser.add_argument("--verbose", action="store_true", help="print every request")


def serve_until_interrupted(root: Path, options: argparse.Namespace, open_browser: bool) -> int:
    """Serve a folder in the foreground; return the exit status."""
    try:
        server = open_server(root, options.host, options.port, options.verbose)
    except OSError as error:
        print(
            f"cairn: cannot listen on {options.host}, port {options.port}: {error.strerror}.", file=sys.stderr
        )
        return 1
    with server:
        print(f"Cairn is at {server.url} (Ctrl+C stops it).", flush=True)
        if open_browser:
            webbrowser.open(server.url)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
    print("\nStopped. Cairn keeps working in a browser where it was opened once.")
    return 0


def main(arguments: list[str]) -> int:
    """Serve dist/site, or another folder, as it is."""
    parser = argparse.ArgumentParser(prog="cairn serve", description="Serve a built site.")
    parser.add_argument("folder", nargs="?", type=Path, default=checkout.SITE, help="default: dist/site")
    add_arguments(parser)
    options = parser.parse_args(arguments)
    if not (options.folder / "index.html").is_file():
        print(f"cairn: there is no site in {options.folder}; build it with ./cairn build.", file=sys.stderr)
        return 1
    return serve_until_interrupted(options.folder, options, open_browser=False)
