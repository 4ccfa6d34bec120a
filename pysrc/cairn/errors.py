"""Typed errors: each has a stable code, one sentence for the person and a next step.

They cross worker borders as JSON-RPC error objects (see :mod:`cairn.protocol`), never as strings,
so that the page can show the sentence and offer the step without parsing anything.
"""

from __future__ import annotations

from typing import ClassVar


class CairnError(Exception):
    """Base of every error a person may see.

    ``message`` is one clear sentence that names the thing and the reason, ``hint`` the next step.
    ``code`` is stable (it appears in tests, logs and the protocol); subclasses set it.
    """

    code: ClassVar[str] = "internal"

    def __init__(self, message: str, *, hint: str = "", retryable: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.retryable = retryable


class InvalidRequest(CairnError):
    """The message does not follow the protocol."""

    code = "invalid_request"


class UnknownMethod(CairnError):
    """No such method in the protocol."""

    code = "unknown_method"


class Cancelled(CairnError):
    """The person (or a newer request) cancelled the work."""

    code = "cancelled"


class StorageUnavailable(CairnError):
    """This browser or mode has no usable storage (OPFS)."""

    code = "storage_unavailable"


class StorageFull(CairnError):
    """There is not enough space for what was asked."""

    code = "storage_full"


class PackInvalid(CairnError):
    """A pack breaks its format; the message names the member and the reason."""

    code = "pack_invalid"


class PackMismatch(CairnError):
    """A pack's bytes are not those that were promised (hash or size)."""

    code = "pack_mismatch"


class ArchiveInvalid(CairnError):
    """A ZIM archive is truncated, damaged or cannot be read; the message names the part."""

    code = "archive_invalid"


class ArchiveUnsupported(CairnError):
    """A ZIM archive uses something that this reader does not read (obsolete versions, codecs)."""

    code = "archive_unsupported"


class ArchiveAbsent(CairnError):
    """An archive stays where the person keeps it, and its file must be chosen again."""

    code = "archive_absent"


class CatalogueInvalid(CairnError):
    """A file is no catalogue of archives, or passes a limit; the message gives the reason."""

    code = "catalogue_invalid"


class DocumentNotFound(CairnError):
    """A citation names a document or passage that no active source has."""

    code = "document_not_found"


class DocumentCorrupt(CairnError):
    """A document's text does not match the hash in its manifest."""

    code = "document_corrupt"


class ThreadNotFound(CairnError):
    """A thread is not, or no longer, in the history."""

    code = "thread_not_found"


class DocumentUnreadable(CairnError):
    """A file cannot be imported: damaged, of no known kind, or hostile; the message says which."""

    code = "document_unreadable"


class PasswordNeeded(CairnError):
    """A PDF opens only with a password, which is asked once and never kept."""

    code = "password_needed"


class ModelUnavailable(CairnError):
    """A model is not installed, will not load here, or failed its self-test."""

    code = "model_unavailable"


class WorkerCrashed(CairnError):
    """A worker ended without an answer (often: out of memory)."""

    code = "worker_crashed"


class TimedOut(CairnError):
    """Something took longer than its limit."""

    code = "timed_out"


class NotReady(CairnError):
    """A part is still starting."""

    code = "not_ready"


class DownloadFailed(CairnError):
    """Bytes could not be fetched completely."""

    code = "download_failed"


ERRORS: dict[str, type[CairnError]] = {
    cls.code: cls
    for cls in (
        CairnError,
        InvalidRequest,
        UnknownMethod,
        Cancelled,
        StorageUnavailable,
        StorageFull,
        PackInvalid,
        PackMismatch,
        ArchiveInvalid,
        ArchiveUnsupported,
        ArchiveAbsent,
        DocumentNotFound,
        DocumentCorrupt,
        ThreadNotFound,
        DocumentUnreadable,
        PasswordNeeded,
        ModelUnavailable,
        WorkerCrashed,
        TimedOut,
        NotReady,
        DownloadFailed,
    )
}
"""Every code that may cross a border, with the class that the receiver rebuilds."""
