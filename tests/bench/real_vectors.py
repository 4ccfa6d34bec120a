"""Real E5 vectors for the benchmarks: passages and questions of the judged collections.

    python -m tests.bench.real_vectors [FOLDER]     (../shared/data/eval)

One thread, some 20 minutes the first time: vectors are kept per text, as for `cairn eval`. The
benchmarks take what is there and say so when nothing is.
"""

from __future__ import annotations

import asyncio
import json
import sys
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data" / "eval"
PASSAGES = ROOT / "build-cache" / "bench" / "e5-passages.f32"
QUERIES = ROOT / "build-cache" / "bench" / "e5-queries.f32"
QUERIES_PER_SET = 100


def available() -> bool:
    """Whether they were made."""
    return PASSAGES.is_file() and QUERIES.is_file()


def lines(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def texts(data: Path) -> tuple[list[str], list[str]]:
    """Passages as packs embed them, and questions spread over each collection."""
    from cairn.passages.embedding import embedding_text

    passages: list[str] = []
    queries: list[str] = []
    for folder in sorted(path.parent for path in data.glob("*/corpus.jsonl")):
        for row in lines(folder / "corpus.jsonl"):
            title = row.get("title", "")
            passages.append(embedding_text(title, title, row["text"]))
        asked = [row["text"] for row in lines(folder / "queries.jsonl")]
        queries += asked[:: max(1, len(asked) // QUERIES_PER_SET)]
    return passages, queries


def write(path: Path, vectors: Iterable[array[float]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".new")
    with beside.open("wb") as file:
        for vector in vectors:
            file.write(vector.tobytes())
    beside.replace(path)


def main() -> None:
    from build import lock
    from build.files import HashMemo
    from build.models import convert
    from build.paths import BUILD_CACHE
    from cairn.native.embedder import PASSAGE, QUERY, OnnxEmbedder

    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    model = convert.ensure("multilingual-e5-small", lock.load(), HashMemo(BUILD_CACHE / "hashes.json"))
    embedder = OnnxEmbedder(model)
    asyncio.run(embedder.load(lambda phase, done, total: None))
    passages, queries = texts(folder)
    print(f"{len(passages)} passages, {len(queries)} queries", flush=True)
    write(QUERIES, (embedder.embed([QUERY + text])[0] for text in queries))
    write(PASSAGES, (embedder.embed([PASSAGE + text])[0] for text in passages))


if __name__ == "__main__":
    main()
