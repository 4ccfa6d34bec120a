"""The app page as tests drive it: through the same connection module that readers use."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from tests.browser.waiting import wait_until

# Runs before any script of the page, so that nothing that the engine says is missed.
SPY = """
globalThis.said = [];
if (location.protocol === "http:") {
  globalThis.listening = import("/connection.mjs").then(({ connect }) => {
    globalThis.engine = connect();
    engine.listen((text) => said.push({ ...JSON.parse(text), at: performance.now() }));
  });
}
"""
OPEN = ("ready", "empty", "failed")
START_SECONDS = 90


class App:
    """One tab."""

    def __init__(self, page: Page, origin: str, path: str = "/") -> None:
        self.page = page
        self.url = origin + path
        page.add_init_script(SPY)
        page.goto(self.url, wait_until="domcontentloaded")
        page.evaluate("() => globalThis.listening.then(() => 0)")

    def reload(self) -> None:
        self.page.reload(wait_until="domcontentloaded")
        self.page.evaluate("() => globalThis.listening.then(() => 0)")

    def role(self) -> str:
        return str(self.page.evaluate("() => engine.role"))

    def said(self, method: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.page.evaluate(
            "method => said.filter((message) => message.method === method)", method
        )
        return found

    def request(self, method: str, params: dict[str, Any] | None = None) -> Any:
        return self.page.evaluate(
            "([method, params]) => engine.request(method, params, { timeoutMs: 120000 })",
            [method, params or {}],
        )

    def ready(self) -> dict[str, Any]:
        """The engine's status once it answers from here."""

        def opened() -> dict[str, Any] | None:
            status: dict[str, Any] = self.request("engine.status")
            return status if status["readiness"]["library"]["state"] in OPEN else None

        found = wait_until(opened, START_SECONDS)
        assert found
        return found

    def search(self, query: str) -> Any:
        return self.request("engine.search", {"query": query, "semantic": False})

    def steps(self) -> dict[str, float]:
        """Milliseconds by start-up step."""
        return {m["params"]["step"]: m["params"]["ms"] for m in self.said("engine.step")}

    def controlled(self) -> bool:
        return bool(self.page.evaluate("() => Boolean(navigator.serviceWorker.controller)"))
