"""`cairn pack`: build a pack from a folder of documents, verify one, say what one holds."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from cairn.cli import checkout
from cairn.errors import CairnError
from cairn.native.files import DirectoryFiles
from cairn.sources.packs.archive import PackArchive
from cairn.sources.packs.manifest import Manifest
from cairn.sources.packs.verify import read_manifest, verify

BUILT_MODEL = checkout.SITE / "models" / "multilingual-e5-small"


def add_parser(subparsers: Any) -> None:
    """Add ``pack`` with its own commands to a parser's subcommands."""
    parser = subparsers.add_parser("pack", help="build and inspect packs", description=__doc__)
    _add_commands(parser)


def _add_commands(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    build = commands.add_parser("build", help="build a pack from a recipe folder")
    build.add_argument("recipe", type=Path, help="folder with pack.toml")
    build.add_argument("-o", "--output", type=Path, required=True, help="the ZIP to write")
    build.add_argument(
        "--model", type=Path, help="folder of the embedder (default: the one that the site was built with)"
    )
    build.add_argument(
        "--compatible",
        action="store_true",
        help="in the published layout (schema 2), about three times as large",
    )
    build.add_argument("--no-vectors", action="store_true", help="keyword index only")
    build.add_argument("--threads", type=int, default=1, help="threads of the embedder")
    build.set_defaults(run=run_build)
    check = commands.add_parser("verify", help="re-hash a pack and check its indexes")
    check.add_argument("pack", type=Path)
    check.set_defaults(run=run_verify)
    info = commands.add_parser("info", help="say what a pack holds")
    info.add_argument("pack", type=Path)
    info.set_defaults(run=run_info)


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


def run_build(options: argparse.Namespace) -> int:
    """Build a pack; the vectors of texts embedded before come from the cache."""
    from cairn.sources.packs.build import build_pack
    from cairn.sources.packs.recipe import load_recipe

    if options.model is None and not options.no_vectors:
        options.model = BUILT_MODEL
        if not options.model.is_dir():
            said = "run ./cairn build once (it makes the embedder), give --model FOLDER, or --no-vectors"
            print(f"cairn pack build: {said}", file=sys.stderr)
            return 2
    started = time.monotonic()
    recipe = load_recipe(options.recipe)
    embedding = None if options.no_vectors else _embedding(options.model, options.threads)
    report = build_pack(recipe, options.output, embedding=embedding, compatible=options.compatible,
                        progress=_progress)  # fmt: skip
    print(f"{options.output}: {_size(report.pack_bytes)} in {time.monotonic() - started:.1f} s")
    parts = report.documents_bytes + report.fts5_bytes + report.vector_bytes
    print(f"  texts {_size(report.text_bytes)}; packed {_size(report.documents_bytes)} + keyword index "
          f"{_size(report.fts5_bytes)} + vectors {_size(report.vector_bytes)} = "
          f"{parts / report.text_bytes:.2f} x the text")  # fmt: skip
    _describe(report.manifest)
    return 0


def _embedding(folder: Path, threads: int) -> Any:
    from cairn.native.embedder import PASSAGE, OnnxEmbedder
    from cairn.sources.packs.build import Embedding

    embedder = OnnxEmbedder(folder, threads=threads)
    asyncio.run(embedder.load(lambda phase, done, total: None))
    return Embedding(lambda texts: embedder.embed([PASSAGE + text for text in texts]), embedder.vector_model)


def run_verify(options: argparse.Namespace) -> int:
    """Verify a pack down to every passage; raises PackInvalid or PackMismatch."""
    with closing(_open(options.pack)) as archive:
        manifest = read_manifest(archive)
        with tempfile.TemporaryDirectory(prefix="cairn-verify-") as folder:
            paths = asyncio.run(_extract(archive, manifest, Path(folder)))
            for step in verify(archive, manifest, deep=True, **paths):
                _progress(step.phase, step.done, step.total)
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
        print(f"{options.pack}: {_size(archive.bytes)}")
        _describe(manifest)
        for entry in manifest.indexes:
            how = "stored" if archive.member(entry.path).stored else "compressed"
            print(f"  {entry.path}: {_size(entry.bytes)}, {entry.passage_count} passages, {how}")
    return 0


def _open(path: Path) -> PackArchive:
    try:
        return PackArchive(path)
    except OSError as error:
        raise CairnError(f"{path} cannot be read: {error}.") from error


def _describe(manifest: Manifest) -> None:
    print(f"  {manifest.title or manifest.corpus_id} ({manifest.corpus_id}), version {manifest.version}")
    languages = Counter(document.language for document in manifest.documents)
    spread = ", ".join(f"{language} {count}" for language, count in languages.most_common())
    print(f"  {len(manifest.documents)} documents ({spread}), licence {manifest.licence or 'mixed'}")
    if manifest.vector is not None:
        vector = manifest.vector
        print(f"  vectors {vector.model_id}@{vector.model_revision}:{vector.model_dtype}")


def _progress(phase: str, done: int, total: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == total else "\r"
        print(f"  {phase} {done} of {total}   ", end=end, file=sys.stderr, flush=True)


def _size(count: int) -> str:
    return f"{count / 1e6:.2f} MB" if count >= 1e5 else f"{count} bytes"
