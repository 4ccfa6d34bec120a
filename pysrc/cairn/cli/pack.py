"""`cairn pack`: build a pack, verify one, say what one holds and what differs between two."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from cairn.cli import pack_build
from cairn.cli import pack_show as show
from cairn.errors import CairnError
from cairn.native.files import DirectoryFiles
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.diff import compare
from cairn.sources.packs.manifest import Manifest
from cairn.sources.packs.verify import read_manifest, verify


def add_parser(subparsers: Any) -> None:
    """Add ``pack`` with its own commands to a parser's subcommands."""
    parser = subparsers.add_parser("pack", help="build and inspect packs", description=__doc__)
    _add_commands(parser)


def _add_commands(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    pack_build.add_parser(commands)
    check = commands.add_parser("verify", help="re-hash a pack and check its indexes")
    check.add_argument("pack", type=Path)
    check.set_defaults(run=run_verify)
    info = commands.add_parser("info", help="say what a pack holds")
    info.add_argument("pack", type=Path)
    info.set_defaults(run=run_info)
    diff = commands.add_parser("diff", help="say what differs between two packs")
    diff.add_argument("old", type=Path)
    diff.add_argument("new", type=Path)
    diff.set_defaults(run=run_diff)


def main(arguments: Sequence[str]) -> int:
    """Run ``cairn pack …``; 0, or 1 when the pack or the recipe is wrong."""
    parser = argparse.ArgumentParser(prog="cairn pack", description=__doc__)
    _add_commands(parser)
    options = parser.parse_args(arguments)
    try:
        status: int = options.run(options)
    except CairnError as error:
        print(f"cairn pack: {error.message} {error.hint}".rstrip(), file=sys.stderr)
        return 1
    return status


def run_verify(options: argparse.Namespace) -> int:
    """Verify a pack down to every passage; raises PackInvalid or PackMismatch."""
    with closing(_open(options.pack)) as archive:
        manifest = read_manifest(archive)
        with tempfile.TemporaryDirectory(prefix="cairn-verify-") as folder:
            paths = asyncio.run(_extract(archive, manifest, Path(folder)))
            for step in verify(archive, manifest, deep=True, **paths):
                show.progress(step.phase, step.done, step.total)
    print(f"{options.pack}: every member, passage and count is as the manifest states")
    return 0


async def _extract(archive: PackArchive, manifest: Manifest, folder: Path) -> dict[str, Any]:
    """The indexes as files; copied member by member, so that compressed ones can be checked too."""
    files = DirectoryFiles(folder)
    paths: dict[str, Any] = {}
    for key, entry in (("fts5_path", manifest.fts5), ("vector_path", manifest.vector)):
        if entry is not None:
            paths[key] = await files.ensure(key)
            with Path(paths[key]).open("wb") as file:
                for piece in archive.stream(entry.path):
                    file.write(piece)
    return {"fts5_path": "", **paths}


def run_info(options: argparse.Namespace) -> int:
    """Say what a pack holds, from its manifest."""
    with closing(_open(options.pack)) as archive:
        manifest = read_manifest(archive)
        print(f"{options.pack}: {show.size(archive.bytes)}")
        show.describe(manifest)
        for entry in manifest.indexes:
            how = "stored" if archive.member(entry.path).stored else "compressed"
            print(f"  {entry.path}: {show.size(entry.bytes)}, {entry.passage_count} passages, {how}")
    return 0


def run_diff(options: argparse.Namespace) -> int:
    """Say what differs between two packs; 0 when nothing does, else 3."""
    with closing(_open(options.old)) as old, closing(_open(options.new)) as new:
        diff = compare(read_manifest(old), read_manifest(new))
        sizes = (old.bytes, new.bytes)
    for name, before, after in diff.facts:
        print(f"{name}: {before} -> {after}")
    for mark, names in (("+", diff.added), ("-", diff.removed), ("~", diff.changed), ("=", diff.relabelled)):
        for name in names:
            print(f"{mark} {name}")
    if diff.empty:
        print("the same documents and facts")
    else:
        print(f"{len(diff.added)} added, {len(diff.removed)} removed, {len(diff.changed)} changed, "
              f"{len(diff.relabelled)} with other facts")  # fmt: skip
        print(" -> ".join(map(show.size, sizes)))
    return 0 if diff.empty else 3


def _open(path: Path) -> PackArchive:
    try:
        return PackArchive(path)
    except OSError as error:
        raise CairnError(f"{path} cannot be read: {error}.") from error
