"""What the operating system or the browser says of storage, as typed errors."""

from __future__ import annotations

import errno

from cairn.errors import CairnError, StorageFull, StorageUnavailable

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT}


def storage_error(error: OSError, what: str) -> CairnError:
    """StorageFull when there is no room for ``what`` ("this pack"), else StorageUnavailable.

    Both of the browsers' names for a full quota arrive here as ENOSPC (workers/opfs-fs.mjs).
    """
    if error.errno in _NO_SPACE:
        return StorageFull(
            f"There is not enough space for {what}.",
            hint="Remove something from the library or free space on the device, then go on.",
            retryable=True,
        )
    return StorageUnavailable(f"There was a fault while storing {what} ({error}).", retryable=True)
