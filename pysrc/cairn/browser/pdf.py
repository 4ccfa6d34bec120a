"""The PDF reader's port on workers/pdf-text.mjs: a worker for each file, which ends with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cairn.browser.host import Host
from cairn.browser.workers import WorkerClient
from cairn.sources.documents.pdf import PdfOpened, PdfPage
from cairn.sources.documents.pdf_wire import opened_of, page_of

OPEN_SECONDS = 120.0
PAGE_SECONDS = 60.0


class WorkerPdf:
    """Reads one PDF at a time by pdf.js."""

    def __init__(self, host: Host) -> None:
        self._client = WorkerClient(host, "pdf-text", notified=_ignore, died=lambda: None)
        self._name = ""

    async def open(self, data: bytes, name: str, password: str) -> PdfOpened:
        """Open a file; raises PasswordNeeded, DocumentUnreadable, WorkerCrashed or TimedOut."""
        self._name = name
        params = {"data": data, "name": name, "password": password}
        return opened_of(await self._client.call("pdf.open", params, timeout=OPEN_SECONDS))

    async def page(self, number: int) -> PdfPage:
        """A page of the open file; raises DocumentUnreadable, WorkerCrashed or TimedOut."""
        params = {"number": number, "name": self._name}
        return page_of(await self._client.call("pdf.page", params, timeout=PAGE_SECONDS))

    async def close(self) -> None:
        """End the worker: nothing of an untrusted file outlives it."""
        self._client.close()


def _ignore(method: str, params: Mapping[str, Any]) -> None:
    """A PDF worker sends no notifications."""
