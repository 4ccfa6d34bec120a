"""The server: what a browser needs to run Cairn, and what nobody may reach through it."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.cli import serve


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    for name, content in {
        "index.html": b"<!doctype html>home",
        "reader/text.html": b"<!doctype html>reader",
        "workers/engine.mjs": b"export {};",
        "vendor/x.wasm": b"\0asm",
        "manifest.webmanifest": b"{}",
        "python/cairn-1-py3-none-any.whl": b"PK",
        "python/snapshot.gz": bytes(range(256)) * 4,
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "secret.txt").write_text("not for anyone")
    return folder


@pytest.fixture
def server(site: Path, tmp_path: Path) -> Iterator[serve.SiteServer]:
    other = tmp_path / "tiny"
    other.mkdir()
    (other / "config.json").write_text("{}")
    with serve.serving(site, {"/models/e5-tiny": other}) as running:
        yield running


def get(
    server: serve.SiteServer, path: str, headers: dict[str, str] | None = None, method: str = "GET"
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=5)
    connection.request(method, path, headers=headers or {})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/workers/engine.mjs", "text/javascript; charset=utf-8"),
        ("/vendor/x.wasm", "application/wasm"),
        ("/manifest.webmanifest", "application/manifest+json"),
        ("/python/cairn-1-py3-none-any.whl", "application/zip"),
        ("/python/snapshot.gz", "application/gzip"),
    ],
)
def test_types_are_exact(server: serve.SiteServer, path: str, kind: str) -> None:
    """Intent: a module or wasm with a wrong type does not run; a .gz must arrive still packed."""
    status, headers, _ = get(server, path)
    assert status == 200
    assert headers["content-type"] == kind
    assert "content-encoding" not in headers


def test_every_answer_isolates_and_names_itself(server: serve.SiteServer) -> None:
    """Intent: threads need isolation, on errors and in workers as well."""
    for path in ("/", "/workers/engine.mjs", "/missing"):
        _, headers, _ = get(server, path)
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cross-origin-embedder-policy"] == "require-corp"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == "no-cache"


def test_only_the_app_may_evaluate_code(server: serve.SiteServer) -> None:
    """Intent: PyScript needs 'unsafe-eval'; a page that shows imported text must not have it."""
    assert "'unsafe-eval'" in get(server, "/")[1]["content-security-policy"]
    assert "'unsafe-eval'" in get(server, "/workers/engine.mjs")[1]["content-security-policy"]
    reader = get(server, "/reader/text.html?doc=1")[1]["content-security-policy"]
    assert "'unsafe-eval'" not in reader
    assert "'unsafe-inline'" not in reader
    assert "default-src 'self'" in reader


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("bytes=0-3", (0, 4)),
        ("bytes=1000-", (1000, 1024)),
        ("bytes=-10", (1014, 1024)),
        ("bytes=-5000", (0, 1024)),
        ("bytes=1020-9999", (1020, 1024)),
    ],
)
def test_ranges_are_exact(server: serve.SiteServer, header: str, expected: tuple[int, int]) -> None:
    """Intent: resumed downloads and reading a ZIM in parts depend on the right bytes."""
    whole = bytes(range(256)) * 4
    start, end = expected
    status, headers, body = get(server, "/python/snapshot.gz", {"Range": header})
    assert body == whole[start:end]
    if expected == (0, 1024):
        assert status == 200
    else:
        assert status == 206
        assert headers["content-range"] == f"bytes {start}-{end - 1}/1024"


def test_impossible_and_strange_ranges(server: serve.SiteServer) -> None:
    """Intent: past the end is an error with the size; what is no range is ignored."""
    status, headers, _ = get(server, "/python/snapshot.gz", {"Range": "bytes=1024-"})
    assert (status, headers["content-range"]) == (416, "bytes */1024")
    for header in ("bytes=-", "bytes=5-2", "bytes=0-1,5-6", "lines=1-2", ""):
        assert get(server, "/python/snapshot.gz", {"Range": header})[0] == 200


def test_etag_saves_and_protects_downloads(server: serve.SiteServer, site: Path) -> None:
    """Intent: an unchanged file is not sent again; a changed one is never glued to its old half."""
    _, headers, _ = get(server, "/python/snapshot.gz")
    tag = headers["etag"]
    status, _, body = get(server, "/python/snapshot.gz", {"If-None-Match": tag})
    assert (status, body) == (304, b"")
    (site / "python/snapshot.gz").write_bytes(b"another")
    status, headers, body = get(server, "/python/snapshot.gz", {"Range": "bytes=2-", "If-Range": tag})
    assert (status, body) == (200, b"another")
    assert headers["etag"] != tag


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/reader/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/reader/%2e%2e%2f%2e%2e%2fsecret.txt",
        "/..%5csecret.txt",
        "//etc/passwd",
        "/index.html%00.txt",
        "/reader",
        "/models/e5-tiny/../../secret.txt",
    ],
)
def test_nothing_outside_the_site_is_reachable(server: serve.SiteServer, path: str) -> None:
    """Intent: no way up, no absolute path, no folder listing."""
    status, _, body = get(server, path)
    assert status == 404
    assert b"not for anyone" not in body


def test_links_do_not_lead_outside(server: serve.SiteServer, site: Path) -> None:
    """Intent: a symbolic link in the site is no door to the machine."""
    (site / "door.txt").symlink_to(site.parent / "secret.txt")
    assert get(server, "/door.txt")[0] == 404


def test_a_further_folder_has_its_own_prefix(server: serve.SiteServer) -> None:
    """Intent: tests serve a small model beside the site without putting it into the site."""
    assert get(server, "/models/e5-tiny/config.json")[2] == b"{}"


def test_head_and_keep_alive(server: serve.SiteServer) -> None:
    """Intent: HEAD tells the size without a body, and one connection serves many requests."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=5)
    for method in ("HEAD", "GET", "HEAD"):
        connection.request(method, "/python/snapshot.gz")
        answer = connection.getresponse()
        body = answer.read()
        assert answer.headers["Content-Length"] == "1024"
        assert len(body) == (1024 if method == "GET" else 0)
    connection.close()


def test_a_taken_port_is_not_an_error_unless_asked_for(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Intent: a second `run` finds another port by itself; --port means that port and no other."""
    with serve.SiteServer(site) as first:
        taken = first.server_address[1]
        monkeypatch.setattr(serve, "DEFAULT_PORT", taken)
        with serve.open_server(site, "127.0.0.1", None) as second:
            assert second.server_address[1] != taken
        with pytest.raises(OSError):
            serve.open_server(site, "127.0.0.1", taken)
