"""Engine → embed worker, engine → generate worker and engine → PDF worker."""

from __future__ import annotations

from cairn.protocol.jsonrpc import Methods

EMBED_METHODS: Methods = {
    # model: catalogue id; device: "webgpu" | "wasm"; files: [{url, path, bytes, sha256}]
    "embed.load": (frozenset({"model", "device", "dtype", "files"}), frozenset({"threads"})),
    # texts already carry their "query: " / "passage: " prefix; result {vectors: ArrayBuffer of
    # float32[n * dimensions], dimensions, ms}
    "embed.run": (frozenset({"texts"}), frozenset()),
    "embed.dispose": (frozenset(), frozenset()),
}
PDF_METHODS: Methods = {
    # data: the file (Uint8Array); result {pages, title, language, outline: [[page, depth, words]]}
    "pdf.open": (frozenset({"data", "name", "password"}), frozenset()),
    # result {number, width, height, items: [[text, x, y, width, height, angle, ends, rtl]], pictures}
    "pdf.page": (frozenset({"number", "name"}), frozenset()),
    "pdf.close": (frozenset(), frozenset()),
}
EMBED_NOTIFICATIONS = frozenset({"embed.progress"})  # {phase, done, total}

# --- engine -> generate worker -------------------------------------------------------------------

GENERATE_METHODS: Methods = {
    "generate.load": (frozenset({"model", "device", "dtype", "files"}), frozenset({"threads"})),
    "generate.count_tokens": (frozenset({"texts"}), frozenset()),  # result {counts: [int]}
    # result {text, tokens, prompt_tokens, first_token_ms, ms, finish: "stop"|"length"|"stopped"}
    # choices: sentences the model may write, no others (workers/verbatim.mjs)
    "generate.run": (frozenset({"messages"}), frozenset({"max_new_tokens", "sampling", "choices"})),
    "generate.dispose": (frozenset(), frozenset()),
}
GENERATE_NOTIFICATIONS = frozenset(
    {
        "generate.progress",  # {phase, done, total}
        "generate.delta",  # {request, text, tokens}
    }
)
