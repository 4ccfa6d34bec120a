"""Small archives for tests: pages, pictures, links; no index, so they are found by title."""

from __future__ import annotations

from pathlib import Path

from tests.unit.archives.synthetic import Item, zim

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c6360f8cfc000000301010018dd8db00000000049454e44ae426082"
)
LIGHTHOUSE = """<!doctype html><html lang="en"><head><title>Lighthouse</title>
<link rel="stylesheet" href="style.css"></head><body><h1>Lighthouse</h1>
<p>A lighthouse is a tower with a strong lamp that guides ships at night.</p>
<h2>History</h2>
<p>The Pharos of Alexandria stood about one hundred metres high and burned wood at its top.</p>
<ul><li>Built about 280 before our era</li><li>Destroyed by earthquakes</li></ul>
<p><img src="lamp.png" width="60" height="40" alt="A lamp"> <a href="Fog_signal">Fog signal</a>
<a href="https://example.org/outside">outside</a></p></body></html>"""


def pages(**more: str) -> list[Item]:
    """Items of a small archive; ``more`` are further pages by title."""
    texts = {
        "Lighthouse": LIGHTHOUSE,
        "Fog_signal": "<html><body><h1>Fog signal</h1><p>A fog signal warns by sound.</p></body></html>",
        **more,
    }
    items = [Item("C", path, text.encode(), path.replace("_", " ")) for path, text in texts.items()]
    items += [
        Item("C", "Pharos", title="Pharos", target=("C", "Lighthouse")),
        Item("C", "lamp.png", PNG, mime="image/png"),
        Item("C", "style.css", b"h1 { color: #123456; } @import url(x.css); p { background: url(a.png) }",
             mime="text/css"),
        Item("W", "mainPage", target=("C", "Lighthouse")),
    ]  # fmt: skip
    facts = {
        "Title": "Coast book", "Language": "eng", "Date": "2026-05-01", "Publisher": "Cairn tests",
        "License": "CC0-1.0", "Description": "Signals of the coast", "Counter": "text/html=2",
    }  # fmt: skip
    return items + [Item("M", key, value.encode(), mime="text/plain") for key, value in facts.items()]


def small_archive(**more: str) -> bytes:
    """Its bytes."""
    return zim(pages(**more), main=("W", "mainPage"), titles=True)


def write_archive(folder: Path, name: str = "coast.zim", **more: str) -> Path:
    """A small archive as a file."""
    path = folder / name
    path.write_bytes(small_archive(**more))
    return path
