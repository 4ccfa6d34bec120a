"""The Search room as a person uses it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page

from tests.browser.person import App

SECONDS = 60


@dataclass
class SearchRoom:
    """The room of an open app."""

    page: Page

    @classmethod
    def enter(cls, app: App) -> SearchRoom:
        app.page.wait_for_selector("html[data-page=ready]")
        app.page.click('.room[data-room="search"]')
        app.page.wait_for_selector("#search-box:focus")
        return cls(app.page)

    def type(self, query: str) -> None:
        """Type a query key by key into the empty box."""
        self.page.fill("#search-box", "")
        self.page.locator("#search-box").press_sequentially(query, delay=15)

    def titles(self) -> list[str]:
        found: list[str] = self.page.locator(".hit strong").all_inner_texts()
        return found

    def wait_hits(self, of: str = "") -> list[str]:
        """Wait for a list, of a document whose title has ``of``."""
        self.page.locator(".hit strong", has_text=of).first.wait_for(timeout=SECONDS * 1000)
        return self.titles()

    def marks(self) -> set[str]:
        return {text.lower() for text in self.page.locator(".hit mark").all_inner_texts()}

    def chips(self, group: str) -> dict[str, int]:
        """Values of a filter by name, with their counts."""
        found: Any = self.page.locator(f'.chip[data-group="{group}"]').evaluate_all(
            "chips => chips.map(c => ['span', 'small'].map(tag => c.querySelector(tag).textContent))"
        )
        return {name: int(count.replace(",", "")) for name, count in found}

    def wait_chips(self, group: str) -> dict[str, int]:
        self.page.locator(f'.chip[data-group="{group}"]').first.wait_for(timeout=SECONDS * 1000)
        return self.chips(group)

    def choose(self, group: str, name: str) -> None:
        self.page.locator(f'.chip[data-group="{group}"]', has_text=name).click()
