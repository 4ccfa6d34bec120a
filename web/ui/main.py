"""The page: loads its words, then wires strip, rooms and Ask to the engine.

Runs in MicroPython, so that it is up before Pyodide is. ``boot.mjs`` started the engine already
and keeps what it says until ``cairn.listen`` is called here.
"""

import asyncio
import json

import dom
import edit
import strings
from archives import Archives
from ask import Ask
from client import Client
from connection import Connection
from documents import Documents
from library import LibraryRoom
from pyscript import document, window
from pyscript.ffi import create_proxy
from rooms import Rooms
from search import SearchRoom
from settings import Settings
from strings import t
from strip import Strip
from threads import Threads

from packs import Packs

THEMES = ("", "light", "dark")


class Page:
    """The parts of the page and what flows between them."""

    def __init__(self):
        self.status = {}
        self.client = Client(lambda text: window.cairn.send(text))
        self.strip = Strip()
        self.connection = Connection(self.client)
        self.ask = Ask(self.client)
        self.threads = Threads(self.client, self.ask)
        self.archives = Archives(self.client, self._refresh, lambda: self.rooms.go("library"))
        self.packs = Packs(self.client, self._refresh, lambda: self.rooms.go("library"))
        self.documents = Documents(self.client, self._refresh, lambda: self.rooms.go("library"))
        self.library = LibraryRoom(self.documents, self.packs, self.archives)
        self.search = SearchRoom(self.client, self._ask_this)
        self.settings = Settings(self.client)
        self.rooms = Rooms(
            {
                "search": self.search.open,
                "library": self._enter_library,
                "settings": self.settings.draw,
            }
        )
        self._wire()

    def _wire(self):
        self.client.on("engine.readiness", self._readiness)
        self.client.on("engine.started", self._started)
        self.client.on("engine.failed", self._failed)
        dom.action("restart-part", self._restart)
        dom.action("archives-again", self._archives_again)
        dom.listen(dom.by_id("readiness-dot"), "click", lambda _: self.strip.toggle())
        dom.listen(dom.by_id("theme"), "click", lambda _: self._next_theme())
        self._name_theme()

    def _readiness(self, readiness):
        self.strip.update(readiness)
        self.status["readiness"] = readiness
        self.search.meaning(readiness.get("meaning", {}).get("state") == "ready")
        if readiness.get("library", {}).get("state") == "ready":
            self._refresh()

    def _ask_this(self, question):
        self.rooms.go("ask")
        self.ask.ask(question)

    def _failed(self, error):
        self.ask.engine_down(error)
        self.connection.failed(error)
        self.strip.engine_failed()

    def _started(self, status):
        self.connection.banner("failed", "")
        self.status = status
        kept = status["storage"]
        self.connection.banner("storage", t("banner.indexeddb") if kept == "indexeddb" else "")
        self.ask.engine_up()
        self.ask.chooser.status(status)
        self.strip.update(status["readiness"])

    def _refresh(self, focus=""):
        """The library changed, or its room was entered: draw what is known, then what is new."""
        if document.documentElement.dataset.view != "library":
            return
        self.library.draw(self.status, focus)

        def done(result, error):
            if not error:
                self.status = result
                self.library.draw(result, focus)

        self.client.request("engine.status", {}, done)

    def files_event(self, text):
        """Take one event of chosen-files.mjs: each kind of file has its part of the Library."""
        event = json.loads(text)
        takers = {
            "packs": self.packs,
            "documents": self.documents,
            "catalogues": self.archives.catalogue,
        }
        takers.get(event["kind"], self.archives).event(event)

    def _enter_library(self):
        self.documents.load()
        self._refresh()

    def _archives_again(self, node):
        def done(result, error):
            if not error:
                self.archives.reopen_first(result["sources"])

        self.client.request("engine.status", {}, done)

    def _restart(self, node):
        part = node.getAttribute("data-part")
        self.client.request("engine.restart_part", {"part": part}, lambda result, error: None)

    def _next_theme(self):
        now = window.cairnTheme.stored()
        window.cairnTheme.apply(THEMES[(THEMES.index(now) + 1) % len(THEMES)])
        self._name_theme()

    def _name_theme(self):
        dom.by_id("theme-name").textContent = strings.t("theme." + window.cairnTheme.stored())


async def main():
    """Bring the page up, then take over from boot.mjs."""
    await strings.load(document.documentElement.lang)
    dom.start()
    edit.start()
    words = '"' + strings.t("archive.drop") + '"'
    document.documentElement.style.setProperty("--drop-words", words)
    page = Page()
    link = window.cairn
    link.onrole = create_proxy(lambda role: page.connection.role(role))
    link.onfiles = create_proxy(page.files_event)
    link.onupdate = create_proxy(lambda *_: page.connection.update_ready())
    link.listen(create_proxy(page.client.receive))
    page.connection.role(link.role)
    page.rooms.from_address()
    page.ask.reopen()
    queued = link.takeQueuedQuestion()
    if queued:
        page.ask.ask(queued)
    document.documentElement.dataset.page = "ready"


asyncio.create_task(main())
