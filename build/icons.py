"""The app icons as PNG, drawn from the SVG sources: some systems install only bitmap icons.

The sources use rectangles with rounded corners and translations only, which is all that is
understood here; anything else stops the build.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from build.errors import BuildError

_SAMPLES = 4  # per pixel and direction

# Icon of the site: source in web/icons, size in pixels.
SIZES = {
    "icons/cairn-192.png": ("cairn.svg", 192),
    "icons/cairn-512.png": ("cairn.svg", 512),
    "icons/apple-touch-icon.png": ("cairn-maskable.svg", 180),
}


def render(source: Path, size: int) -> bytes:
    """Return the drawing as a PNG of size x size pixels."""
    root = ElementTree.fromstring(source.read_text("utf-8"))
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    steps = (np.arange(size * _SAMPLES) + 0.5) / (size * _SAMPLES)
    xs, ys = left + steps * width, top + steps * height
    canvas = np.zeros((size * _SAMPLES, size * _SAMPLES, 4))  # red, green, blue, coverage
    _draw(root, xs, ys, canvas, source.name)
    pixels = canvas.reshape(size, _SAMPLES, size, _SAMPLES, 4).mean((1, 3))
    coverage = np.maximum(pixels[..., 3:], 1e-9)
    pixels[..., :3] /= coverage  # PNG keeps colours apart from their coverage
    return _png(np.rint(pixels * 255).astype(np.uint8))


def _draw(
    node: ElementTree.Element,
    xs: NDArray[np.float64],
    ys: NDArray[np.float64],
    canvas: NDArray[np.float64],
    name: str,
) -> None:
    for child in node:
        tag = child.tag.rpartition("}")[2]
        if tag == "g":
            x, y = child.attrib["transform"].removeprefix("translate(").removesuffix(")").split()
            _draw(child, xs - float(x), ys - float(y), canvas, name)
        elif tag == "rect":
            colour = bytes.fromhex(child.attrib["fill"].removeprefix("#"))
            canvas[_inside(child, xs, ys)] = [*(value / 255 for value in colour), 1.0]
        else:
            raise BuildError(f"web/icons/{name} holds a <{tag}>; build/icons.py draws <rect> and <g> only.")


def _inside(rect: ElementTree.Element, xs: NDArray[np.float64], ys: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say which samples lie inside a rectangle whose corners are rounded by rx."""
    x, y, rx = (float(rect.get(key, 0)) for key in ("x", "y", "rx"))
    width, height = float(rect.attrib["width"]), float(rect.attrib["height"])
    rx = min(rx, width / 2, height / 2)
    dx = np.abs(xs - (x + width / 2)) - (width / 2 - rx)
    dy = np.abs(ys - (y + height / 2)) - (height / 2 - rx)
    across, down = np.maximum(dx, 0)[None, :], np.maximum(dy, 0)[:, None]
    inside: NDArray[np.bool_] = across**2 + down**2 <= rx**2
    return inside


def _png(pixels: NDArray[np.uint8]) -> bytes:
    height, width, _ = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], 1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
