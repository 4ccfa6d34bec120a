"""Downloads: whole and right, or a clear sentence; what arrived is never fetched twice, nor trusted."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.errors import DownloadFailed, StorageFull
from cairn.storage import download as module
from cairn.storage.download import Cursor, Download, Received
from cairn.storage.rate import Rate
from tests.unit.storage.range_site import (
    Answer,
    Fault,
    RangeSite,
    Web,
    drop,
    html,
    longer,
    status,
    with_header,
)

BODY = b"PK" + random.Random(1).randbytes(40_000)
NEW = b"PK" + random.Random(2).randbytes(50_000)


class Desk:
    """A download and everything it is given."""

    def __init__(self, folder: Path, site: RangeSite) -> None:
        self.site = site
        self.web = Web(pack=site)
        self.path = folder / "file.part"
        self.path.touch()
        self.saved: list[Cursor] = []
        self.seen: list[tuple[int, int]] = []
        self.pauses: list[float] = []

    async def run(self, cursor: Cursor | None = None, most: int = 1 << 20) -> Received:
        async def pause(seconds: float) -> None:
            self.pauses.append(seconds)

        download = Download(
            self.web, "pack", str(self.path), what="this pack", most=most, magic=b"PK", pause=pause,
            save=self.saved.append, progress=lambda done, total: self.seen.append((done, total)),
        )  # fmt: skip
        return await download.run(cursor or Cursor())

    def got(self, body: bytes = BODY, cursor: Cursor | None = None) -> None:
        """The download ends well, with these bytes."""
        received = asyncio.run(self.run(cursor))
        assert self.path.read_bytes() == body
        assert received == Received(hashlib.sha256(body).hexdigest(), len(body))

    def refused(self, sentence: str, cursor: Cursor | None = None, most: int = 1 << 20) -> DownloadFailed:
        with pytest.raises(DownloadFailed, match=sentence) as caught:
            asyncio.run(self.run(cursor, most))
        return caught.value

    def ranges(self) -> list[str]:
        return [request.get("range", "") for request in self.site.requests]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Desk]:
    monkeypatch.setattr(module, "FLUSH", 5_000)
    return lambda *faults, **site: Desk(tmp_path, RangeSite(BODY, faults=list(faults), **site))


def test_a_whole_file_in_one_go(desk: Callable[..., Desk]) -> None:
    """Intent: hashed on the way, room taken first, progress told, safe at every flush."""
    d = desk()
    d.got()
    assert d.ranges() == [""]
    assert d.seen[-1] == (len(BODY), len(BODY))
    assert [c.bytes for c in d.saved] == sorted(c.bytes for c in d.saved)
    assert d.saved[-1] == Cursor(len(BODY), len(BODY), '"one"')
    assert len(d.saved) > len(BODY) // 6_000


def test_dropped_connections_go_on_where_they_broke(desk: Callable[..., Desk]) -> None:
    d = desk(drop(10_000), drop(1), drop(0), drop(15_000))
    d.got()
    assert d.ranges() == ["", "bytes=10000-", "bytes=10001-", "bytes=10001-", "bytes=25001-"]
    assert all(request["if-range"] == '"one"' for request in d.site.requests[1:])
    assert d.pauses == [1.0, 1.0, 2.0, 1.0]  # longer only while nothing comes


def test_a_dead_connection_ends_with_a_sentence_and_keeps_what_came(desk: Callable[..., Desk]) -> None:
    d = desk(drop(20_000), *[drop(0)] * 20)
    error = d.refused("broke")
    assert error.retryable
    d.site.faults.clear()
    d.site.requests.clear()
    d.got(cursor=d.saved[-1])
    assert d.ranges() == ["bytes=20000-"]


def test_a_later_start_goes_on_and_hashes_what_is_there(desk: Callable[..., Desk]) -> None:
    d = desk()
    d.path.write_bytes(BODY[:12_000] + b"written after the last save")
    d.got(cursor=Cursor(12_000, len(BODY), '"one"'))
    assert d.ranges() == ["bytes=12000-"]


def test_a_finished_download_asks_nobody(desk: Callable[..., Desk]) -> None:
    d = desk()
    d.path.write_bytes(BODY)
    d.got(cursor=Cursor(len(BODY), len(BODY), '"one"'))
    assert d.ranges() == []


@pytest.mark.parametrize(
    "cursor",
    [Cursor(12_000, len(BODY), ""), Cursor(90_000, len(BODY), '"one"'), Cursor(12_000, len(BODY), '"zero"')],
    ids=["no validator", "file shorter than the cursor", "another validator"],
)
def test_what_cannot_be_trusted_starts_anew(desk: Callable[..., Desk], cursor: Cursor) -> None:
    d = desk()
    d.path.write_bytes(b"x" * 12_000)
    d.got(cursor=cursor)


def test_last_modified_serves_where_there_is_no_etag(desk: Callable[..., Desk]) -> None:
    date = "Tue, 01 Dec 2026 00:00:00 GMT"
    d = desk(drop(9_000), etag="", modified=date)
    d.got()
    assert d.site.requests[1]["if-range"] == date


@pytest.mark.parametrize("site", [{"etag": 'W/"one"'}, {"etag": ""}, {"ranges": False}])
def test_a_server_without_ranges_or_strong_validators_starts_anew(
    desk: Callable[..., Desk], site: dict[str, object]
) -> None:
    d = desk(drop(9_000), **site)
    d.got()
    assert len(d.site.requests) == 2


def test_a_file_that_changes_midway_is_fetched_anew(desk: Callable[..., Desk]) -> None:
    """Intent: no mixture of two versions, however the server tells that it changed."""
    d = desk(drop(20_000))

    def change(site: RangeSite) -> None:
        if len(site.requests) == 2:
            site.body, site.etag = NEW, '"two"'

    d.site.before = change
    d.got(NEW)
    assert d.saved[-1].validator == '"two"'


def test_a_server_that_ignores_if_range_is_found_out_by_its_etag(desk: Callable[..., Desk]) -> None:
    d = desk(drop(20_000), with_header("etag", '"two"'))
    d.got()
    assert d.ranges() == ["", "bytes=20000-", ""]


def test_a_file_that_keeps_changing_is_given_up(desk: Callable[..., Desk]) -> None:
    def change(site: RangeSite) -> None:
        site.etag = f'"{len(site.requests)}"'

    d = desk(*[drop(9_000)] * 50)
    d.site.before = change
    d.refused("keeps changing")


@pytest.mark.parametrize(
    "fault",
    [
        with_header("content-range", f"bytes 0-{len(BODY) - 1}/{len(BODY)}"),
        with_header("content-range", f"bytes 20001-{len(BODY) - 1}/{len(BODY)}"),
        with_header("content-range", f"bytes 20000-{len(BODY) - 2}/{len(BODY)}"),
        with_header("content-range", "bytes 20000-/*"),
        with_header("content-range", "nonsense"),
        with_header("content-range", ""),
    ],
)
def test_another_part_than_asked_for_is_refused(desk: Callable[..., Desk], fault: Fault) -> None:
    d = desk(drop(20_000), fault)
    d.refused("part")
    d.site.requests.clear()
    d.got(cursor=d.saved[-1])  # and what was there before is still good
    assert d.ranges() == ["bytes=20000-"]


def test_a_range_that_is_gone_starts_anew(desk: Callable[..., Desk]) -> None:
    d = desk(drop(20_000), lambda good: Answer(416, {}, b""))
    d.got()


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (html, "web page"),
        (longer, "longer than"),
        (status(404), "status 404"),
        (status(206), "status 206"),
        (lambda good: Answer(200, {"content-length": "0"}, b""), "empty"),
        (lambda good: Answer(200, {}, b""), "empty"),
        (lambda good: Answer(200, {}, b"<!doctype html>"), "first bytes"),
    ],
)
def test_what_is_no_file_is_refused_at_once(desk: Callable[..., Desk], fault: Fault, sentence: str) -> None:
    d = desk(fault)
    assert not d.refused(sentence).retryable
    assert len(d.site.requests) == 1


def test_a_shorter_body_is_asked_for_again(desk: Callable[..., Desk]) -> None:
    d = desk(lambda good: Answer(good.status, good.headers, good.body[:-7]))
    d.got()
    assert d.ranges() == ["", f"bytes={len(BODY) - 7}-"]


def test_a_busy_server_is_asked_again(desk: Callable[..., Desk]) -> None:
    d = desk(status(503), status(429))
    d.got()
    assert d.pauses


def test_a_body_without_a_length_ends_where_it_ends(desk: Callable[..., Desk]) -> None:
    def chunked(good: Answer) -> Answer:
        headers = {name: value for name, value in good.headers.items() if name != "content-length"}
        return Answer(good.status, headers, good.body)

    d = desk(chunked)
    d.got()
    assert d.seen[0][1] == 0
    assert d.saved[-1].total == len(BODY)


def test_more_than_may_be_is_refused_before_it_is_written(desk: Callable[..., Desk]) -> None:
    d = desk()
    d.refused("larger than 1000 bytes", most=1000)
    assert d.path.stat().st_size == 0


def test_a_full_disk_is_said_before_the_first_byte(
    desk: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    d = desk()
    real = Path.open

    def small(self: Path, *args: object, **kwargs: object) -> object:
        file = real(self, *args, **kwargs)  # type: ignore[call-overload]

        class Small:
            def __getattr__(self, name: str) -> object:
                return getattr(file, name)

            def __enter__(self) -> Small:
                return self

            def __exit__(self, *_: object) -> None:
                file.close()

            def truncate(self, size: int) -> int:
                if size > 30_000:
                    raise OSError(errno.ENOSPC, "No space left on device")
                return int(file.truncate(size))

        return Small()

    monkeypatch.setattr(Path, "open", small)
    with pytest.raises(StorageFull, match="not enough space for this pack"):
        asyncio.run(d.run())
    assert d.seen == []


def test_a_stop_keeps_what_arrived(desk: Callable[..., Desk]) -> None:
    d = desk()

    async def scenario() -> None:
        task = asyncio.ensure_future(d.run())
        while not d.seen or d.seen[-1][0] < 10_000:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
    kept = d.saved[-1]
    assert 10_000 <= kept.bytes < len(BODY)
    assert d.path.read_bytes()[: kept.bytes] == BODY[: kept.bytes]
    d.got(cursor=kept)
    assert d.ranges() == ["", f"bytes={kept.bytes}-"]


@settings(max_examples=60, deadline=None)
@given(
    cuts=st.lists(st.integers(0, 30_000), max_size=8),
    changes=st.lists(st.booleans(), max_size=8),
    lies=st.lists(st.sampled_from(["", "etag", "416", "short", "range", "200"]), max_size=8),
)
def test_whatever_a_server_does_the_bytes_are_one_version(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int], changes: list[bool], lies: list[str]
) -> None:
    """Property: a download that ends well has exactly one version's bytes, and the hash says so."""
    versions = [BODY, NEW]

    def fault(number: int) -> Fault:
        def broken(good: Answer) -> Answer:
            lie = lies[number] if number < len(lies) else ""
            if lie == "416":
                return Answer(416, {}, b"")
            if lie == "etag":
                good = with_header("etag", '"lie"')(good)
            if lie == "range":
                good = with_header("content-range", "bytes 5-6/7")(good)
            if lie == "short":
                return Answer(good.status, good.headers, good.body[:-1])
            return drop(cuts[number])(good) if number < len(cuts) else good

        return broken

    site = RangeSite(BODY, faults=[fault(number) for number in range(8)])

    def change(site: RangeSite) -> None:
        number = len(site.requests) - 1
        if number < len(changes) and changes[number]:
            site.body = versions[number % 2]
            site.etag = f'"{number % 2}-{number}"'

    site.before = change
    d = Desk(tmp_path_factory.mktemp("d"), site)
    try:
        received = asyncio.run(d.run())
    except DownloadFailed:
        return
    data = d.path.read_bytes()
    assert data in versions
    assert received == Received(hashlib.sha256(data).hexdigest(), len(data))


def test_rate_and_time_left() -> None:
    """Intent: the last seconds count, not the pause before them."""
    time = [0.0]
    rate = Rate(lambda: time[0])
    assert (rate.per_second, rate.seconds_left(100)) == (0.0, None)
    rate.saw(0)
    for _ in range(20):
        time[0] += 1000
        rate.saw(int(time[0] / 1000 * 50))
    assert rate.per_second == 50
    assert rate.seconds_left(2000) == 20.0
    rate.saw(0)
    assert rate.per_second == 0.0
