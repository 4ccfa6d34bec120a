"""Write pysrc/cairn/browser/known_vectors.py from the embedder on CPython.

Run it when the embedding model changes: ``python -m tests.browser.make_known_vectors``.
"""

from __future__ import annotations

import asyncio
import textwrap
from pathlib import Path

from cairn.browser.selftest import encode
from cairn.native.embedder import MODEL_ID, OnnxEmbedder

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "pysrc" / "cairn" / "browser" / "known_vectors.py"
# Five scripts and lengths, both prefixes; short ones, since every start embeds all of them.
TEXTS = (
    "query: How do I make river water safe to drink?",
    "query: ¿Cómo se trata una quemadura?",
    "query: comment arrêter un saignement",
    "query: 地震时应该怎么办",
    "passage: Bring the water to a rolling boil for one minute; above 2,000 metres, for three.",
    "passage: كيف تبني مأوى من الأغصان والأوراق قبل حلول الليل",
    "passage: Presione la herida con un paño limpio durante diez minutos sin mirar debajo.",
    "passage: The rope is passed twice around the pole: R-2, 12 mm, 40 °C.",
)
HEADER = '''"""Vectors that {model} must reproduce on a device before it is used there.

Made by tests/browser/make_known_vectors.py on CPython; see :mod:`cairn.browser.selftest`.
"""

from __future__ import annotations

KNOWN: dict[str, list[tuple[str, str]]] = {{
    "{model}": [
'''


async def main() -> None:
    """Embed and write."""
    embedder = OnnxEmbedder(ROOT / "dist" / "site" / "models" / MODEL_ID, cache=False)
    await embedder.load(lambda phase, done, total: None)
    lines = [HEADER.format(model=MODEL_ID)]
    for text in TEXTS:
        prefix, _, rest = text.partition(" ")
        if prefix == "query:":
            vector = await embedder.embed_query(rest)
        else:
            [vector] = await embedder.embed_passages([rest])
        pieces = textwrap.wrap(encode(vector), 88)
        lines.append(f'        (\n            "{text}",\n')
        lines += [f'            "{piece}"\n' for piece in pieces[:-1]]
        lines.append(f'            "{pieces[-1]}",\n        ),\n')
    lines.append("    ],\n}\n")
    TARGET.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
