"""Make pysrc/cairn/retrieval/data/e5-small-languages.json: the directions that tell languages apart.

    python tests/eval/language_directions.py CORPUS MODEL

CORPUS is a folder with ``manifest.json`` (objects with path, lang, collection, format) and Markdown
files; MODEL the folder of multilingual-e5-small. From each collection of parallel or comparable
texts, and from the translated documents of packs/starter, up to 16 paragraphs a language are
embedded; the language means, centred on their collection, go through a singular value
decomposition. See cairn.retrieval.neutral for what the result is worth.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import re
import struct
from collections import defaultdict
from pathlib import Path

import numpy as np

from cairn.native.embedder import OnnxEmbedder
from cairn.passages.languages import iso639_3
from cairn.passages.scripts import has_cjk

ROOT = Path(__file__).resolve().parents[2]
COLLECTIONS = ("cookbook", "digital-first-aid", "rights-udhr", "trail-sense")
PARAGRAPHS = 16
DIRECTIONS = 10
OUT = ROOT / "pysrc/cairn/retrieval/data/e5-small-languages.json"


def groups(corpus: Path) -> dict[tuple[str, str], list[Path]]:
    """Files by collection and language."""
    found: dict[tuple[str, str], list[Path]] = defaultdict(list)
    for entry in json.loads((corpus / "manifest.json").read_text(encoding="utf-8")):
        if entry["format"] == "md" and entry["collection"] in COLLECTIONS:
            found[entry["collection"], entry["lang"]].append(corpus / entry["path"])
    for path in sorted((ROOT / "packs/starter/docs").rglob("*.spa.md")):
        for language in ("ara", "eng", "fra", "spa", "zho"):
            found["starter", language].append(path.with_name(path.name.replace(".spa.", f".{language}.")))
    return found


def paragraphs(files: list[Path]) -> list[str]:
    """Evenly spread paragraphs of running text."""
    found = []
    for path in sorted(files):
        text = path.read_text(encoding="utf-8").rpartition("+++")[2]
        for block in re.split(r"\n\s*\n", text):
            line = " ".join(block.split())
            cjk = has_cjk(line)
            if len(line) > (40 if cjk else 120) and not line.startswith(("#", "|", "```", "!")):
                found.append(line[: 170 if cjk else 500])
    step = max(1, len(found) // PARAGRAPHS)
    return found[::step][:PARAGRAPHS]


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("model", type=Path)
    options = parser.parse_args()
    embedder = OnnxEmbedder(options.model)
    info = await embedder.load(lambda phase, done, total: None)
    means: dict[str, dict[str, np.ndarray]] = defaultdict(dict)
    for (collection, language), files in sorted(groups(options.corpus).items()):
        texts = paragraphs(files)
        if len(texts) >= PARAGRAPHS // 2:
            means[collection][language] = np.mean(await embedder.embed_passages(texts), axis=0)
    rows = []
    for by_language in means.values():
        centre = np.mean(list(by_language.values()), axis=0)
        rows += [mean - centre for mean in by_language.values()]
    _, strengths, directions = np.linalg.svd(np.array(rows), full_matrices=False)
    packed = b"".join(struct.pack(f"<{info.dimensions}e", *row) for row in directions[:DIRECTIONS])
    data = {
        "about": "Directions of multilingual-e5-small that tell languages apart; see cairn.retrieval.neutral",
        "made_by": "tests/eval/language_directions.py",
        "weights": f"{info.id}@{info.revision}:{info.dtype}",
        "languages": sorted({iso639_3(language) for group in means.values() for language in group}),
        "strengths": [round(float(s / strengths[0]), 3) for s in strengths[:DIRECTIONS]],
        "dimensions": info.dimensions,
        "directions": base64.b64encode(packed).decode(),
    }
    OUT.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    print(f"{OUT.name}: {DIRECTIONS} directions from {len(rows)} language means")


if __name__ == "__main__":
    asyncio.run(main())
