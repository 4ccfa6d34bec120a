"""The app as a person sees it: what the tests of the flows do on the page, by what it shows."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page

PARTS = ("library", "meaning", "answers")
START_SECONDS = 180  # two models are fetched, checked and started on two shared cores
ANSWER_SECONDS = 180


@dataclass
class App:
    """One open page of the app."""

    page: Page

    @classmethod
    def open(cls, context: BrowserContext, origin: str, path: str = "/") -> App:
        """Open the app; returns when its HTML is there, long before it is ready."""
        page = context.pages[0] if context.pages else context.new_page()
        page.goto(origin + path, wait_until="commit")
        page.wait_for_selector("#question")
        return cls(page)

    def state(self, part: str) -> str:
        """The state of a readiness cell."""
        return self.page.get_attribute(f'.cell[data-cell="{part}"]', "data-state") or ""

    def wait_ready(self, *parts: str, seconds: float = START_SECONDS) -> None:
        """Wait until these parts are ready; fails at once when one has failed."""
        ends = time.monotonic() + seconds
        for part in parts or PARTS:
            while (state := self.state(part)) != "ready":
                assert state != "failed", self.page.inner_text(f'.cell[data-cell="{part}"]')
                assert time.monotonic() < ends, f"{part} is still {state}"
                self.page.wait_for_timeout(100)

    def ask(self, question: str) -> Turn:
        """Type a question and press Enter."""
        number = self.page.locator(".turn").count()
        self.page.fill("#question", question)
        self.page.press("#question", "Enter")
        return self.turn(number)

    def turn(self, number: int) -> Turn:
        """A question on the page, counted from 0."""
        node = self.page.locator(f'.turn[data-turn="{number}"]')
        node.wait_for()
        return Turn(self.page, node)


@dataclass
class Turn:
    """One question and its answer on the page."""

    page: Page
    node: Locator

    def wait_done(self, seconds: float = ANSWER_SECONDS) -> Turn:
        """Wait until the answer has ended, however it ended."""
        self.node.locator(".turn-foot button").first.wait_for(timeout=seconds * 1000)
        return self

    def wait_writing(self) -> Turn:
        """Wait for the first written words."""
        self.node.locator(".written:not([hidden])").wait_for(timeout=ANSWER_SECONDS * 1000)
        return self

    @property
    def quotes(self) -> str:
        """The quoted sentences."""
        return self.node.locator(".quotes").inner_text()

    @property
    def written(self) -> str:
        """What the model wrote so far."""
        return self.node.locator(".written").inner_text()

    def sources(self) -> list[dict[str, str]]:
        """The source cards, cited ones first: title and reader address."""
        cards: Any = self.node.locator("a.source").evaluate_all(
            "cards => cards.map(c => ({href: c.getAttribute('href'),"
            " title: c.querySelector('strong').textContent}))"
        )
        return list(cards)

    def open_reader(self, citation: Locator) -> Page:
        """Click a citation number, then "Open in reader"; returns the reader's page."""
        citation.click()
        with self.page.context.expect_page() as opened:
            self.page.click("#sheet a[data-open=reader]")
        reader = opened.value
        reader.wait_for_selector("#document:not([hidden]), #state[data-kind=refused]", timeout=60_000)
        return reader
