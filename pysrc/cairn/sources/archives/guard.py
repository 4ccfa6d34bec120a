"""One place that turns what damaged bytes make Python raise into a typed error."""

from __future__ import annotations

import lzma
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from cairn.errors import ArchiveInvalid

DAMAGED_HINT = "Download the archive again: interrupted downloads are the usual cause."

# backports.zstd and compression.zstd raise ZstdError, a plain Exception: decoding.py wraps it.
_DAMAGE = (
    lzma.LZMAError,
    zlib.error,
    struct.error,
    LookupError,  # IndexError, KeyError
    ValueError,  # UnicodeError too
    ArithmeticError,  # OverflowError, ZeroDivisionError
    MemoryError,
    EOFError,
)


def damaged(what: str) -> ArchiveInvalid:
    """The error for a part of an archive that breaks its format."""
    return ArchiveInvalid(f"The archive is damaged: {what}.", hint=DAMAGED_HINT)


@contextmanager
def guarded(what: str) -> Iterator[None]:
    """Raise ArchiveInvalid for ``what`` when reading it fails for a reason that damage explains."""
    try:
        yield
    except _DAMAGE as error:
        raise damaged(f"{what} cannot be read ({type(error).__name__})") from error
