"""Downloads over real sockets: a server that drops, stalls, lies and changes its file midway."""

from __future__ import annotations

import asyncio
import hashlib
import random
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from cairn.errors import DownloadFailed
from cairn.native import fetch as native
from cairn.native.fetch import LocalFetch
from cairn.storage.download import Cursor, Download, Received
from tests.unit.storage.range_site import Fault, RangeSite, drop, html, with_header

BODY = b"PK" + random.Random(1).randbytes(3_000_000)
NEW = b"PK" + random.Random(2).randbytes(2_500_000)
STALL_SECONDS = 0.5


class Handler(BaseHTTPRequestHandler):
    """Serves one site; a stall is a drop that keeps the connection."""

    protocol_version = "HTTP/1.1"
    site: RangeSite
    stalls: set[int]

    def do_GET(self) -> None:
        number = len(self.site.requests)
        answer = self.site.answer(dict(self.headers))
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(answer.body if answer.cut is None else answer.body[: answer.cut])
        self.wfile.flush()
        if number in self.stalls:
            threading.Event().wait(STALL_SECONDS * 4)
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        return


class Server:
    """A server of one file, and downloads from it."""

    def __init__(self, folder: Path) -> None:
        self.site = RangeSite(BODY)
        self.path = folder / "file.part"
        self.path.touch()
        self.saved = [Cursor()]
        handler = type("OneSite", (Handler,), {"site": self.site, "stalls": set()})
        self.stalls: set[int] = handler.stalls  # type: ignore[attr-defined]
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self.fetch = LocalFetch(f"http://127.0.0.1:{self._server.server_port}/")

    def get(self) -> Received:
        async def at_once(seconds: float) -> None:
            await asyncio.sleep(0)

        download = Download(
            self.fetch, "pack.zip", str(self.path), what="this pack", most=1 << 30, magic=b"PK",
            save=self.saved.append, progress=lambda done, total: None, pause=at_once,
        )  # fmt: skip
        return asyncio.run(download.run(self.saved[-1]))

    def got(self, body: bytes = BODY) -> None:
        assert self.get() == Received(hashlib.sha256(body).hexdigest(), len(body))
        assert self.path.read_bytes() == body

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(native, "_TIMEOUT_S", STALL_SECONDS)
    found = Server(tmp_path)
    yield found
    found.close()


def test_it_comes_whole(server: Server) -> None:
    server.got()


def test_drops_and_stalls_are_gone_on_from(server: Server) -> None:
    """Intent: every byte is sent about once, whatever the line does."""
    server.site.faults = [drop(1_000_000), drop(0), drop(700_000), drop(100)]
    server.stalls.add(2)
    server.got()
    starts = [int(r.get("range", "bytes=0-")[6:-1]) for r in server.site.requests]
    assert starts == sorted(starts) and starts[-1] == 1_700_100


def test_a_file_that_changes_midway_is_whole_and_new(server: Server) -> None:
    server.site.faults = [drop(2_000_000)]

    def change(site: RangeSite) -> None:
        if len(site.requests) == 2:
            site.body, site.etag = NEW, '"two"'

    server.site.before = change
    server.got(NEW)


@pytest.mark.parametrize(
    "lie",
    [
        with_header("content-range", f"bytes 0-{len(BODY) - 1}/{len(BODY)}"),
        with_header("content-range", "bytes 5-6/7000000"),
        html,
    ],
)
def test_lies_are_refused_and_the_truth_goes_on(server: Server, lie: Fault) -> None:
    server.site.faults = [drop(1_500_000), lie]
    try:
        server.get()
    except DownloadFailed as error:
        assert not error.retryable
    server.site.faults = []
    server.got()


def test_nobody_there_is_said(server: Server) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        server.fetch = LocalFetch(f"http://127.0.0.1:{probe.getsockname()[1]}/")
        with pytest.raises(DownloadFailed) as caught:
            server.get()
    assert caught.value.retryable
