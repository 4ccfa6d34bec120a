"""`cairn pack build`: documents in, one ZIP out, the same bytes however the work is spread."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from cairn.cli import checkout
from cairn.cli import pack_show as show
from cairn.sources.packs.build import BuildReport, Embedding, build_pack
from cairn.sources.packs.gather import Wishes, gather
from cairn.sources.packs.prepare import Spread, in_turn

BUILT_MODEL = checkout.SITE / "models" / "multilingual-e5-small"


def add_parser(commands: Any) -> None:
    """Add ``build`` to the commands of ``pack``."""
    build = commands.add_parser(
        "build",
        help="build a pack from a folder, a recipe or a ZIM archive",
        description="Documents are txt, md, html, epub, docx and odt. A recipe (.json, .toml, or pack.toml "
        "in the folder) states title, language, collection, licence and source of each document.",
    )
    build.add_argument("source", type=Path, help="folder, recipe.json, recipe.toml or archive.zim")
    build.add_argument("-o", "--output", type=Path, required=True, help="the ZIP to write")
    for name, what in (
        ("id", "id of the pack"), ("title", "its title"), ("version", "its version"),
        ("notice", "a sentence shown with its answers"),
        ("licence", "licence of documents that state none"),
        ("language", "language of documents that state none (eng, fra, …)"),
        ("collection", "collection of documents that state none"),
    ):  # fmt: skip
        build.add_argument(f"--{name}", default="", help=what)
    build.add_argument(
        "--allow-missing-licence", action="store_true", help="take documents whose licence nobody stated"
    )
    build.add_argument(
        "--model", type=Path, help="folder of the embedder (default: the one that the site was built with)"
    )
    build.add_argument("--no-vectors", action="store_true", help="keyword index only")
    build.add_argument(
        "--compatible", action="store_true", help="the published layout (schema 2), three times as large"
    )
    build.add_argument("--threads", type=int, default=1, help="threads of the embedder")
    build.add_argument("--workers", type=_count, default=1, help="processes that cut and embed")
    build.add_argument("--engine", choices=("local", "dask"), default="local", help="where the workers run")
    build.add_argument("--cluster", default="", help="address of a Dask scheduler (default: a local cluster)")
    build.set_defaults(run=run_build)


def run_build(options: argparse.Namespace) -> int:
    """Build a pack; the vectors of texts embedded before come from the cache."""
    if options.model is None and not options.no_vectors:
        options.model = BUILT_MODEL
        if not options.model.is_dir():
            said = "run ./cairn build once (it makes the embedder), give --model FOLDER, or --no-vectors"
            print(f"cairn pack build: {said}", file=sys.stderr)
            return 2
    started = time.monotonic()
    recipe = gather(options.source, _wishes(options))
    embedding = None if options.no_vectors else _embedding(options.model, options.threads)
    with _spread(options) as spread:
        report = build_pack(
            recipe,
            options.output,
            embedding=embedding,
            compatible=options.compatible,
            spread=spread,
            progress=show.progress,
        )
    _report(report, options.output, time.monotonic() - started)
    return 0


def _wishes(options: argparse.Namespace) -> Wishes:
    return Wishes(
        id=options.id,
        title=options.title,
        version=options.version,
        licence=options.licence,
        language=options.language,
        collection=options.collection,
        notice=options.notice,
        allow_missing_licence=options.allow_missing_licence,
    )


def _embedding(folder: Path, threads: int) -> Embedding:
    from cairn.native.passage_vectors import PassageVectors

    vectors = PassageVectors(folder.resolve(), threads)
    return Embedding(vectors, vectors.model)


def _spread(options: argparse.Namespace) -> AbstractContextManager[Spread]:
    from cairn.native.spread import over_dask, over_processes

    if options.engine == "dask":
        return over_dask(options.workers, options.cluster)
    return over_processes(options.workers) if options.workers > 1 else nullcontext(in_turn)


def _report(report: BuildReport, output: Path, seconds: float) -> None:
    print(f"{output}: {show.size(report.pack_bytes)} in {seconds:.1f} s")
    parts = report.documents_bytes + report.fts5_bytes + report.vector_bytes
    print(f"  texts {show.size(report.text_bytes)}; packed {show.size(report.documents_bytes)} + keyword "
          f"index {show.size(report.fts5_bytes)} + vectors {show.size(report.vector_bytes)} = "
          f"{parts / report.text_bytes:.2f} x the text")  # fmt: skip
    show.describe(report.manifest)


def _count(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 256:
        raise argparse.ArgumentTypeError("a number from 1 to 256")
    return value
