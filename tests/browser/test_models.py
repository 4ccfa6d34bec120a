"""The model workers with the real models of the site, on the CPU."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Error, Page, Playwright

from cairn.browser.selftest import KnownVectors, cosine
from cairn.cli import chromium
from tests.browser.conftest import ARGUMENTS, ROOT, Guard
from tests.browser.models import Models

E5 = "multilingual-e5-small"
LONG = "passage: " + "The river rises in spring when snow melts and carries silt from the hills. " * 12
RIVER = "passage: The river carries silt."
QUESTION = [{"role": "user", "content": "Say in one short sentence where rivers come from."}]


@pytest.fixture(scope="module")
def models(playwright: Playwright, harness: str) -> Iterator[Models]:
    """One browser for the tests of real models: loading them is what takes time."""
    browser = playwright.chromium.launch(executable_path=chromium.find(), args=ARGUMENTS)
    context = browser.new_context()
    guard = Guard()
    guard.watch(context)
    yield Models(context.new_page(), harness)
    guard.check()
    browser.close()


def test_the_embedder_gives_the_vectors_of_cpython(models: Models) -> None:
    """Intent: packs carry vectors made on CPython; a question asked here must be comparable."""
    loaded = models.load("embed", "embedder")
    assert loaded["dimensions"] == 384
    fetched = [note for note in models.notes("embed.progress") if note["phase"] == "fetch"]
    assert fetched[-1]["done"] == fetched[-1]["total"] > 80_000_000
    assert [note["done"] for note in fetched] == sorted(note["done"] for note in fetched)
    known = KnownVectors.of({"id": E5})
    assert known is not None
    vectors = models.embed(known.texts)
    for text, here, there in zip(known.texts, vectors, known.vectors, strict=True):
        assert cosine(here, there) >= 0.98, text
        assert abs(sum(x * x for x in here) - 1) < 1e-4


def test_a_vector_does_not_depend_on_its_neighbours(models: Models) -> None:
    """Intent: the same text always has the same vector, whatever it is embedded with."""
    [alone] = models.embed([RIVER])
    together = models.embed([LONG, RIVER, "query: x"])
    assert cosine(alone, together[1]) >= 0.9999
    assert models.request("embed.run", {"texts": []})["vectors"] == []


def test_a_batch_is_stopped_between_two_texts(models: Models) -> None:
    """Intent: closing an import or asking something else does not wait for a whole batch."""
    with pytest.raises(Exception, match=r"Stopped|cancel"):
        models.request("embed.run", {"texts": [LONG] * 50}, 300)
    assert models.embed(["query: still alive"])


def test_what_is_present_is_not_fetched_again(models: Models) -> None:
    """Intent: a second start needs no network; files are reused only when they are the right ones."""
    models.page.evaluate("() => end()")
    asked: list[str] = []
    models.page.context.on("request", lambda request: asked.append(request.url))
    models.load("embed", "embedder")
    assert not [url for url in asked if "/models/" in url]
    models.page.evaluate("() => end()")


def test_wrong_bytes_are_never_kept(models: Models) -> None:
    """Intent: a damaged or foreign file is refused by name and leaves nothing behind."""
    refused = models.page.evaluate("""async () => {
      const { ModelStore } = await import("/workers/model-store.mjs");
      const url = `${location.origin}/models.json`;
      const whole = (await (await fetch(url)).arrayBuffer()).byteLength;
      const attempt = async (bytes) => {
        const store = new ModelStore([{ url, path: "x.onnx", bytes, sha256: "0".repeat(64) }]);
        const signal = new AbortController().signal;
        return store.ensure(() => {}, signal).then(() => "kept", (e) => `${e.code}: ${e.message}`);
      };
      const said = [await attempt(whole), await attempt(whole - 1), await attempt(whole + 1)];
      const kept = await (await caches.open("cairn-models")).match(url);
      return [...said, String(kept)];
    }""")
    assert refused[0].startswith("pack_mismatch: x.onnx")
    assert refused[1].startswith("download_failed: x.onnx") and "more bytes" in refused[1]
    assert refused[2].startswith("download_failed: x.onnx") and "only" in refused[2]
    assert refused[3] == "undefined"


def test_the_generator_streams_counts_and_ends(models: Models) -> None:
    """Intent: what is streamed is what is returned; limits and reasons are exact."""
    models.load("generate", "generator")
    result = models.request("generate.run", {"messages": QUESTION, "max_new_tokens": 24})
    deltas = models.notes("generate.delta")
    assert "".join(delta["text"] for delta in deltas) == result["text"]
    assert len(deltas) > 3
    assert result["tokens"] <= 24
    assert result["finish"] in ("stop", "length")
    assert 0 < result["first_token_ms"] <= result["ms"]
    short = models.request("generate.run", {"messages": QUESTION, "max_new_tokens": 3})
    assert (short["finish"], short["tokens"]) == ("length", 3)
    assert result["text"].startswith(short["text"])
    counts = models.request("generate.count_tokens", {"texts": ["", "water", "The river rises."]})
    assert counts["counts"][0] == 0 < counts["counts"][1] < counts["counts"][2]
    assert result["prompt_tokens"] > counts["counts"][2]


def test_a_long_prompt_in_pieces_gives_the_same_answer(models: Models) -> None:
    """Intent: reading a prompt in pieces is for stopping, and must not change a word."""
    text = " ".join(f"Fact {n}: the lamp number {n} burns for {n + 3} hours." for n in range(30))
    messages = [{"role": "user", "content": f"{text}\n\nHow long does lamp number 9 burn?"}]
    pieces = models.request("generate.run", {"messages": messages, "max_new_tokens": 12})
    assert pieces["prompt_tokens"] > 400
    models.page.evaluate("() => end()")
    plain = "const PIECE = 100000;"
    source = (ROOT / "workers" / "prefill.mjs").read_text("utf-8")
    assert "const PIECE = 384;" in source
    models.page.route(
        "**/workers/prefill.mjs",
        lambda route: route.fulfill(
            body=source.replace("const PIECE = 384;", plain),
            content_type="text/javascript",
            headers={
                "cross-origin-embedder-policy": "require-corp",
                "cross-origin-resource-policy": "same-origin",
            },
        ),
    )
    models.load("generate", "generator")
    whole = models.request("generate.run", {"messages": messages, "max_new_tokens": 12})
    models.page.unroute("**/workers/prefill.mjs")
    assert whole["text"] == pieces["text"]
    models.page.evaluate("() => end()")
    models.load("generate", "generator")


@pytest.mark.parametrize("after", [50, 1_500])
def test_a_stop_ends_the_generation(models: Models, after: int) -> None:
    """Intent: the person's stop is obeyed while the prompt is read and while words are written."""
    long = [{"role": "user", "content": "Tell a long story about a lighthouse. " * 20}]
    result = models.request("generate.run", {"messages": long, "max_new_tokens": 400}, after)
    assert result["finish"] == "stopped"
    assert result["tokens"] < 400
    print(f"stopped {result['stop_ms']:.0f} ms after it was asked")
    again = models.request("generate.run", {"messages": QUESTION, "max_new_tokens": 4})
    assert again["tokens"] == 4


def test_a_prompt_beyond_the_context_is_refused(models: Models) -> None:
    """Intent: no silent truncation; the worker lives on."""
    huge = [{"role": "user", "content": "water " * 9_000}]
    with pytest.raises(Exception, match="leaves no room"):
        models.request("generate.run", {"messages": huge, "max_new_tokens": 10})
    assert models.request("generate.run", {"messages": QUESTION, "max_new_tokens": 2})["tokens"] == 2


def test_a_terminated_worker_is_noticed(models: Models) -> None:
    """Intent: death without an event (memory, the browser's own choice) ends every wait."""
    models.page.evaluate("""() => {
      globalThis.waited = request("generate.run", { messages: [{ role: "user", content: "x" }] })
        .catch((error) => error.message);
      setTimeout(terminate, 200);
    }""")
    assert "ended unexpectedly" in models.page.evaluate("() => globalThis.waited")


BYTES = """async (steps) => {
  const { TokenText } = await import("/workers/token-text.mjs");
  const tokenizer = { decode: (ids) => new TextDecoder().decode(new Uint8Array(ids.map(Number))) };
  const shown = [];
  const text = new TokenText(tokenizer, (piece) => shown.push(piece));
  text.put([[1n, 2n]]);
  for (const step of steps) text.put([[BigInt(step)]]);
  text.end();
  return shown;
}"""


@pytest.mark.parametrize("text", ["water", "eau potable é", "水を飲む", "🏕️ ok 👩‍🚒", "שלום"])
def test_half_a_character_is_never_shown(page: Page, harness: str, text: str) -> None:
    """Intent: byte-level tokens split characters; the person sees whole ones only."""
    page.goto(f"{harness}/harness/blank.html")
    shown = page.evaluate(BYTES, list(text.encode()))
    assert "".join(shown) == text
    assert all("\ufffd" not in piece for piece in shown)
    assert all(piece.encode("utf-16", "surrogatepass").decode("utf-16") for piece in shown)


def test_a_damaged_model_file_is_fetched_anew_by_the_next_try(models: Models) -> None:
    """Intent: a file cut short on the device, its hash still written beside it, does not stay for ever."""
    models.page.evaluate("() => end()")
    cut = models.page.evaluate(
        """async () => {
          const cache = await caches.open("cairn-models");
          const keys = await cache.keys();
          const key = keys.find(({ url }) => url.includes("smollm2") && url.endsWith(".onnx"));
          const kept = await cache.match(key);
          const bytes = (await kept.arrayBuffer()).slice(0, 1_000_000);
          await cache.put(key, new Response(bytes, { headers: kept.headers }));
          return key.url;
        }"""
    )
    assert cut.endswith(".onnx")
    with pytest.raises(Error):
        models.load("generate", "generator")
    models.page.evaluate("() => end()")
    models.load("generate", "generator")
    again = models.request("generate.run", {"messages": QUESTION, "max_new_tokens": 4})
    assert again["tokens"] == 4
