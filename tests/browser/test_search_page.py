"""The search page, and what serves it, in Chromium with the network refused."""

from __future__ import annotations

from playwright.sync_api import BrowserContext

from tests.browser.app import App as Tab
from tests.browser.conftest import Site
from tests.browser.waiting import wait_until

MODELS_SECONDS = 180


def test_the_kernel_compares_vectors_and_numpy_stays_away(context: BrowserContext, site: Site) -> None:
    """Intent: search by meaning runs at memory speed, and the start does not pay for numpy."""
    tab = Tab(context.new_page(), site.origin)
    tab.ready()
    wait_until(
        lambda: tab.request("engine.status")["readiness"]["meaning"]["state"] == "ready", MODELS_SECONDS
    )
    found = tab.request("engine.search", {"query": "¿Cómo paro una hemorragia fuerte?"})
    assert found["mode"] == "hybrid-full-vector"
    assert found["hits"][0]["document"].startswith("severe-bleeding")
    vectors = tab.request("engine.diagnostics")["vectors"]
    assert vectors["kernel"] == "simd"
    assert list(vectors["ways"].values()) == ["rows"]
    assert not tab.page.evaluate(
        "() => performance.getEntriesByType('resource').filter(e => e.name.includes('numpy')).length"
    )
