"""Drives a model worker through tests/browser/harness/model-page.mjs."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page


class Models:
    """One page, one worker at a time."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        page.goto(f"{origin}/harness/model-page.html")
        page.wait_for_function("() => Boolean(globalThis.load)")

    def load(self, name: str, role: str, device: str = "wasm", catalogue: str = "/models.json") -> Any:
        return self.page.evaluate("(all) => load(...all)", [name, role, device, catalogue])

    def request(self, method: str, params: dict[str, Any], stop_after: int | None = None) -> Any:
        return self.page.evaluate(
            "([m, p, stop]) => request(m, p, stop ?? undefined)", [method, params, stop_after]
        )

    def embed(self, texts: list[str]) -> list[list[float]]:
        result = self.request("embed.run", {"texts": texts})
        flat, size = result["vectors"], result["dimensions"]
        assert len(flat) == size * len(texts)
        return [flat[at : at + size] for at in range(0, len(flat), size)]

    def notes(self, method: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.page.evaluate("() => state.notes")
        return [note["params"] for note in found if note["method"] == method]
