"""Packs on their way into the library: shown first, then brought, verified and switched in.

A job that runs is recorded with its byte cursor, so it goes on after the tab was closed or killed;
one that only shows a pack is not. What it writes carries its id from the first byte on, and the
transaction that records the pack ends the job: at no moment is there a pack without its bytes or
half of a switch. One engine owns the storage (Web Lock ``cairn-engine``) and everything between
waiting for quiet and the switch is one step of its event loop, so packs need no lock of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from cairn.errors import ArchiveAbsent, CairnError, DocumentNotFound, PackInvalid, PackMismatch
from cairn.protocol.packs import JobInfo
from cairn.sources.archives.picked import PickedFiles, absent
from cairn.sources.packs import install as packs
from cairn.sources.packs.copying import copy_file
from cairn.sources.packs.job import KIND, PackJob, described, phase
from cairn.sources.packs.manifest import MOST_BYTES
from cairn.sources.packs.preview import Preview, preview_file, preview_url
from cairn.sources.packs.ready import FTS5, VECTOR, index_name, remove
from cairn.sources.packs.shelf import PackShelf
from cairn.storage.download import Cursor, Download
from cairn.storage.faults import storage_error
from cairn.storage.ports import Fetch, Files
from cairn.storage.rate import Rate
from cairn.storage.state import State

TOLD_MS = 250.0
"""Least time between two notifications of a job's progress."""


class PackJobs:
    """Every job, by id. ``told(info)`` hears of each change, ``ended(id, title, outcome)`` of each end."""

    def __init__(
        self,
        shelf: PackShelf,
        files: Files,
        fetch: Fetch,
        state: State,
        picked: PickedFiles,
        now: Callable[[], float],
    ) -> None:
        self._shelf = shelf
        self._files = files
        self._fetch = fetch
        self._state = state
        self._picked = picked
        self._now = now
        self._jobs: dict[str, PackJob] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._last_told = 0.0
        self.told: Callable[[JobInfo], None] = lambda info: None
        self.ended: Callable[[str, str, str], None] = lambda job, title, outcome: None

    # --- what the person does --------------------------------------------------------------------

    async def add_file(self, key: str) -> JobInfo:
        """Show the pack in a chosen file; an interrupted install of this pack goes on with it.

        Raises ArchiveAbsent, PackInvalid or PackMismatch.
        """
        try:
            if not self._picked.names(key):
                raise absent("The pack")
            preview = preview_file(self._picked.reader(key, 0))
        except BaseException:
            self._picked.forget(key)
            raise
        twin = self._twin(lambda job: job.manifest_sha256 == preview.manifest_sha256)
        name = self._picked.names(key)[0]
        if twin is not None and twin.origin == "file" and twin.bytes == preview.bytes:
            return self._go_on_with(twin, key, name)
        return await self._show(PackJob("file", name, key, *self._facts(preview)), preview)

    async def add_url(self, url: str) -> JobInfo:
        """Show the pack at an address; raises DownloadFailed or PackInvalid."""
        preview = await preview_url(self._fetch, url)
        twin = self._twin(lambda job: job.origin == "url" and job.name == url)
        if twin is not None:
            return self._go_on_with(twin, "", url)
        return await self._show(PackJob("url", url, "", *self._facts(preview)), preview)

    def start(self, job_id: str) -> JobInfo:
        """Install what was shown."""
        job = self._job(job_id)
        if job.state == "asking":
            self._run_soon(job)
        return job.info()

    def resume(self, job_id: str, key: str = "") -> JobInfo:
        """Go on; ``key`` names a file that was chosen again. Raises ArchiveAbsent or PackMismatch."""
        job = self._job(job_id)
        if job.state in ("running", "asking"):
            return job.info()
        if key:
            self._check_again(job, key)
            job.key = key
        if job.origin == "file" and not self._picked.names(job.key):
            job.state, job.error = "waiting", absent(f"“{job.name}”")
            self._record(job)
            raise job.error
        self._run_soon(job)
        return job.info()

    async def pause(self, job_id: str) -> JobInfo:
        """Hold; what arrived stays."""
        job = self._job(job_id)
        if job.state == "running":
            await self._cancel(job_id)
            if job_id in self._jobs and job.state == "running":  # it did not end meanwhile
                job.state = "paused"
                self._record(job)
        return job.info()

    async def stop(self, job_id: str) -> None:
        """Forget a job and what it brought."""
        job = self._job(job_id)
        await self._cancel(job_id)
        if self._jobs.pop(job_id, None) is None:
            return  # it was installed meanwhile
        self._state.remove_job(job_id)
        self._picked.forget(job.key)
        await remove(self._files, job.file)
        self.ended(job_id, _title(job), "stopped")

    # --- life cycle ------------------------------------------------------------------------------

    def restore(self) -> None:
        """Take up recorded jobs: what ran, or only lost its connection, goes on, or waits for its file."""
        for row in self._state.jobs(KIND):
            job = PackJob.recorded(row, self._now)
            self._jobs[job.id] = job
            again = job.state == "failed" and job.origin == "url" and job.error and job.error.retryable
            if job.state != "running" and not again:
                continue
            if job.origin == "url" or self._picked.names(job.key):
                self._run_soon(job)
            else:
                job.state, job.error = "waiting", absent(f"“{job.name}”")
                self._record(job)

    async def close(self) -> None:
        """Let go of every file; what ran goes on at the next start."""
        for job_id in list(self._tasks):
            await self._cancel(job_id)

    def claimed(self) -> set[str]:
        """Stored files that unfinished jobs need."""
        rows = self._state.jobs(KIND)
        zips = {f"packs/{row.id}.zip" for row in rows}
        running = [f"packs/{job_id}.zip" for job_id in self._tasks]
        kinds = (FTS5, VECTOR, f"{FTS5}-journal")
        return zips | {index_name(name, kind) for name in running for kind in kinds}

    def infos(self) -> list[JobInfo]:
        """What the page lists, oldest first."""
        return [job.info() for job in self._jobs.values()]

    # --- internals -------------------------------------------------------------------------------

    def _facts(self, preview: Preview) -> tuple[int, int, None, str, Rate]:
        return preview.bytes, preview.installed_bytes, None, preview.manifest_sha256, Rate(self._now)

    async def _show(self, job: PackJob, preview: Preview) -> JobInfo:
        row = self._state.source(preview.manifest.corpus_id) if preview.manifest else None
        version = row.version if row else ""
        job.pack = described(preview, version, str(row.record.get("manifest_sha256", "")) if row else "")
        space = await self._files.space()
        if space.quota is not None and space.used is not None:
            job.room = max(0, space.quota - space.used)
        job.total = job.bytes
        self._jobs[job.id] = job
        return job.info()

    def _twin(self, same: Callable[[PackJob], bool]) -> PackJob | None:
        return next((job for job in self._jobs.values() if same(job)), None)

    def _go_on_with(self, job: PackJob, key: str, name: str) -> JobInfo:
        """The same pack again: an install that ran goes on, one that was shown is shown."""
        if job.state == "running":
            self._picked.forget(key)
            return job.info()
        if job.key != key:
            self._picked.forget(job.key)
        job.key, job.name = key, name
        return job.info() if job.state == "asking" else self.resume(job.id)

    def _check_again(self, job: PackJob, key: str) -> None:
        if not self._picked.names(key):
            raise absent(f"“{job.name}”")
        preview = preview_file(self._picked.reader(key, 0))
        if (preview.manifest_sha256, preview.bytes) != (job.manifest_sha256, job.bytes):
            self._picked.forget(key)
            raise PackMismatch(
                f"This is not the pack whose installation was interrupted (“{job.name}”).",
                hint="Choose the same file again, or stop the installation first.",
            )

    def _job(self, job_id: str) -> PackJob:
        if job_id not in self._jobs:
            raise DocumentNotFound("There is no such installation.", hint="It may have ended meanwhile.")
        return self._jobs[job_id]

    def _record(self, job: PackJob) -> None:
        self._state.put_job(job.row())
        self.told(job.info())

    def _run_soon(self, job: PackJob) -> None:
        job.state, job.error, job.rate = "running", None, job.rate.anew()
        job.added_ms = job.added_ms or self._now()
        self._record(job)
        self._tasks[job.id] = asyncio.ensure_future(self._run(job))

    async def _cancel(self, job_id: str) -> None:
        task = self._tasks.get(job_id)
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _run(self, job: PackJob) -> None:
        try:
            await self._install(job)
        except ArchiveAbsent as error:
            job.state, job.error = "waiting", error
            self._record(job)
        except (PackInvalid, PackMismatch) as error:
            job.state, job.error, job.cursor = "failed", error, Cursor()
            self._record(job)
            await remove(self._files, job.file)
        except Exception as error:  # noqa: BLE001 nobody awaits this: what happened is shown
            fault = storage_error(error, packs.WHAT) if isinstance(error, OSError) else error
            if not isinstance(fault, CairnError):
                fault = CairnError(f"The pack could not be installed ({type(error).__name__}: {error}).")
            job.state, job.error = "failed", fault
            self._record(job)
        finally:
            self._tasks.pop(job.id, None)

    async def _install(self, job: PackJob) -> None:
        path = await self._files.ensure(job.file)
        sha256 = await (self._copy(job, path) if job.origin == "file" else self._fetch_all(job, path))

        def progress(name: str, done: int, total: int) -> None:
            job.got(phase(name), done, total)
            self._tell(job)

        installed = await packs.finish(self._files, job.file, job.cursor.bytes, sha256, progress)
        if job.manifest_sha256 and installed.record["manifest_sha256"] != job.manifest_sha256:
            raise PackMismatch(
                "The pack that came is not the one that was shown: it changed at its source.",
                hint="Add it again to see what it is now.",
            )
        source = await self._shelf.activate(
            installed, {"kind": job.origin, "address": job.name}, ends_job=job.id
        )
        self._jobs.pop(job.id, None)
        self._picked.forget(job.key)
        self.ended(job.id, source.title, "installed")

    async def _copy(self, job: PackJob, path: str) -> str:
        if not self._picked.names(job.key):
            raise absent(f"“{job.name}”")
        reader = self._picked.reader(job.key, 0)

        def save(done: int) -> None:
            job.cursor = replace(job.cursor, bytes=done, total=reader.size)
            self._state.put_job(job.row())

        await copy_file(
            reader, path, job.cursor.bytes, what=packs.WHAT, save=save, progress=self._bytes(job, "copy")
        )
        return ""

    async def _fetch_all(self, job: PackJob, path: str) -> str:
        def save(cursor: Cursor) -> None:
            job.cursor = cursor
            job.bytes = cursor.total or job.bytes
            self._state.put_job(job.row())

        download = Download(
            self._fetch,
            job.name,
            path,
            what=packs.WHAT,
            most=MOST_BYTES,
            magic=b"PK",
            save=save,
            progress=self._bytes(job, "download"),
        )
        return (await download.run(job.cursor)).sha256

    def _bytes(self, job: PackJob, name: str) -> Callable[[int, int], None]:
        def progress(done: int, total: int) -> None:
            job.got(phase(name), done, total)
            self._tell(job)

        return progress

    def _tell(self, job: PackJob) -> None:
        now = self._now()
        if now - self._last_told >= TOLD_MS:
            self._last_told = now
            self.told(job.info())


def _title(job: PackJob) -> str:
    return job.pack["title"] if job.pack else job.name
