"""Files: content hashes that are not computed twice, atomic writes, links instead of copies."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def sha256(path: Path) -> str:
    """Return the hex sha256 of a file's content."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class HashMemo:
    """Content hashes remembered by path, size, mtime and inode.

    A warm build asks for the hashes of about 0.7 GB; only changed files are read again.
    """

    def __init__(self, path: Path) -> None:
        """Load the memo kept at `path`; a missing or broken one is an empty one."""
        self._path = path
        self._changed = False
        try:
            self._known: dict[str, list[Any]] = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            self._known = {}

    def sha256(self, path: Path) -> str:
        """Return the hex sha256 of `path`, read only when its stat changed."""
        stat = path.stat()
        stamp = [stat.st_size, stat.st_mtime_ns, stat.st_ino]
        known = self._known.get(str(path))
        if known and known[:3] == stamp:
            return str(known[3])
        digest = sha256(path)
        self._known[str(path)] = [*stamp, digest]
        self._changed = True
        return digest

    def matches(self, path: Path, expected: str) -> bool:
        """Say whether `path` exists with the expected content."""
        return path.is_file() and self.sha256(path) == expected

    def save(self) -> None:
        """Write the memo back when something was added; paths that are gone are dropped."""
        if self._changed:
            kept = {path: entry for path, entry in self._known.items() if Path(path).exists()}
            write_text(self._path, json.dumps(kept))
            self._changed = False


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file atomically; one that already has this content keeps its mtime."""
    if path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 text file atomically."""
    write_bytes(path, text.encode("utf-8"))


def dump_json(value: Any) -> str:
    """Return JSON as it is kept in files here: sorted, indented, ending in a newline."""
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def copy(source: Path, target: Path) -> None:
    """Copy a file's content atomically, with fresh times."""
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        shutil.copyfile(source, beside)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def link_or_copy(source: Path, target: Path) -> None:
    """Put `source` at `target` without spending disk where the file system allows it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError as error:
        # Another file system, one without hard links, or a container that forbids them.
        if error.errno not in (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.EACCES):
            raise
        shutil.copy2(source, target)


@contextmanager
def folder_at_once(target: Path) -> Iterator[Path]:
    """Yield an empty folder that becomes `target` when the block ends well.

    A folder that another process completed meanwhile is kept: both hold the same content.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        yield beside
        beside.chmod(0o755)
        if not target.exists():
            beside.rename(target)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
