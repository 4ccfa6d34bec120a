"""Turns that know the ones before them, and what is done without a search, in the built app."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import BrowserContext

from tests.browser.conftest import Site
from tests.browser.person import App

Start = Callable[..., BrowserContext]

WATER = "How do I make river water safe to drink?"
FOOTBALL = "Who won the football world cup in 1998?"


def test_a_follow_up_small_talk_and_a_question_that_is_covered_in_part(site: Site, on_disk: Start) -> None:
    """Intent: "and with bleach?" is searched with what it continues; nothing is made up."""
    app = App.open(on_disk(), site.origin)
    app.wait_ready("library", "meaning")

    first = app.ask(WATER).wait_done()
    assert "boil" in first.quotes.lower()

    follow_up = app.ask("And with bleach?").wait_done()
    searched = follow_up.node.locator(".searched").inner_text()
    assert WATER in searched and "bleach" in searched
    assert "bleach" in follow_up.quotes.lower(), follow_up.quotes

    talk = app.ask("hello, how are you?").wait_done()
    assert talk.node.locator(".quotes").is_hidden() and talk.node.locator("a.source").count() == 0
    assert "Cairn answers questions" in talk.node.locator(".notes").inner_text()

    both = app.ask(f"{WATER} {FOOTBALL}").wait_done()
    assert "boil" in both.quotes.lower()
    assert FOOTBALL in both.node.locator(".notes").inner_text()
