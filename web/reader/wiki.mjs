// The archive reader: an article of a ZIM archive, made harmless, with the cited passage marked.
// Its address says everything (source, path, passage), so that back, forward and reload work.
import { ChosenFiles } from "/chosen-files.mjs";
import { connect } from "/connection.mjs";
import { meaning, readerAddress } from "/reader/addresses.mjs";
import { ArticleFrame } from "/reader/article-frame.mjs";
import { Contents } from "/reader/contents.mjs";
import { byId } from "/reader/elements.mjs";
import { FindBar } from "/reader/find-bar.mjs";
import { TitleSearch } from "/reader/title-search.mjs";
import { applyTheme, storedTheme } from "/theme.mjs";

const THEMES = ["", "light", "dark"];
const THEME_NAMES = ["Theme: auto", "Theme: light", "Theme: dark"];
const SCROLL_MS = 200;

/** @typedef {{message?: string, hint?: string, code?: string}} Fault */

const outsideSheet = () => /** @type {HTMLDialogElement} */ (byId("outside"));

/** The page: one archive, one article at a time. */
class Reader {
  #engine = connect();
  #source = new URLSearchParams(location.search).get("source") ?? "";
  #shown = 0;
  #dark = matchMedia("(prefers-color-scheme: dark)");
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #scrolling;
  #frame = new ArticleFrame(byId("article"), (path) => this.#ask("archives.resource", { path }), {
    navigate: (path, fragment) => void this.go(path, fragment),
    outside: (address) => this.#outside(address),
    key: (event) => this.#key(event),
    scrolled: (top) => this.#rememberScroll(top),
  });
  #contents = new Contents(this.#frame);
  #find = new FindBar(this.#frame);
  #files = new ChosenFiles(this.#engine, (event) => {
    if (event.type === "added") void this.open();
    else if (event.type === "failed") this.#refuse({ message: event.message, hint: event.hint }, true);
  });
  #titles = new TitleSearch(
    async (prefix) => (await this.#ask("archives.suggest", { prefix })).titles,
    ({ path }) => void this.go(path, ""),
  );

  constructor() {
    history.scrollRestoration = "manual";
    addEventListener("popstate", () => void this.open());
    document.addEventListener("keydown", (event) => this.#key(event));
    this.#dark.addEventListener("change", () => this.#colour());
    byId("to-passage").onclick = () => this.#frame.toPassage();
    byId("print").onclick = () => this.#frame.print();
    byId("main-page").onclick = () => void this.#jump("archives.main");
    byId("random").onclick = () => void this.#jump("archives.random");
    byId("theme").onclick = () => {
      applyTheme(THEMES[(THEMES.indexOf(storedTheme()) + 1) % THEMES.length]);
      this.#colour();
    };
    byId("outside-close").onclick = () => outsideSheet().close();
    byId("outside-copy").onclick = () => void navigator.clipboard.writeText(byId("outside-address").textContent ?? "");
    this.#colour();
    if (this.#source) void this.open();
    else this.#refuse({ message: "This address names no archive.", hint: "Open the reader from a citation or the Library." });
  }

  /** Go to another article of this archive. @param {string} path @param {string} fragment */
  async go(path, fragment) {
    history.pushState({}, "", readerAddress(this.#source, path, fragment));
    await this.open();
  }

  /** Show what the address names. */
  async open() {
    const asked = ++this.#shown;
    const wanted = new URLSearchParams(location.search);
    const began = performance.now();
    this.#wait("Opening the article…");
    try {
      const path = wanted.get("path") || (await this.#ask("archives.main", {})).path;
      const optional = Object.fromEntries(["passage", "query"].flatMap((name) => {
        const value = wanted.get(name);
        return value ? [[name, value]] : [];
      }));
      const article = await this.#ask("archives.article", { path, ...optional });
      if (asked !== this.#shown) return;
      await this.#frame.show(article, this.#isDark());
      if (asked !== this.#shown) return;
      this.#arrive(article, Boolean(wanted.get("passage")));
      performance.measure("article", { start: began });
    } catch (error) {
      if (asked === this.#shown) this.#refuse(/** @type {Fault} */ (error));
    }
  }

  /** The article is there: its title, its place, its tools. @param {any} article @param {boolean} cited */
  #arrive(article, cited) {
    const marked = this.#frame.marks.length > 0;
    document.title = `${article.title} · ${article.source_title} · Cairn`;
    byId("state").hidden = true;
    byId("article").hidden = false;
    byId("to-passage").hidden = !marked;
    for (const name of ["find-button", "main-page", "random", "print"]) {
      /** @type {HTMLButtonElement} */ (byId(name)).disabled = false;
    }
    this.#contents.draw();
    this.#find.reset();
    if (cited && !marked) this.#say("The cited passage is not in this edition of the article; this is the whole text.");
    const { fragment } = /** @type {any} */ (meaning(location.hash || "#", ""));
    if (history.state?.top !== undefined) this.#frame.window.scrollTo(0, history.state.top);
    else if (fragment) this.#frame.goTo(fragment);
  }

  /** @param {"archives.main" | "archives.random"} method */
  async #jump(method) {
    try {
      await this.go((await this.#ask(method, {})).path, "");
    } catch (error) {
      this.#refuse(/** @type {Fault} */ (error));
    }
  }

  /** @param {string} method @param {object} params @returns {Promise<any>} */
  #ask(method, params) {
    return this.#engine.request(method, { source: this.#source, ...params });
  }

  /** @param {string} text */
  #wait(text) {
    this.#say(text);
    byId("state-button").hidden = true;
  }

  /** @param {string} text */
  #say(text) {
    const state = byId("state");
    state.hidden = false;
    delete state.dataset.kind;
    byId("state-text").textContent = text;
  }

  /** @param {Fault} fault @param {boolean} [again] the file can be chosen once more */
  #refuse(fault, again = fault.code === "archive_absent") {
    this.#say(`${fault.message ?? fault} ${fault.hint ?? ""}`.trim());
    byId("state").dataset.kind = "refused";
    byId("article").hidden = true;
    const button = byId("state-button");
    button.hidden = !again;
    button.onclick = () => void this.#reopen();
  }

  async #reopen() {
    const { sources } = await this.#engine.request("engine.status");
    const key = sources.find((/** @type {any} */ source) => source.id === this.#source)?.archive?.key;
    await (key ? this.#files.reopen(key) : this.#files.choose());
  }

  /** @param {string} address */
  #outside(address) {
    byId("outside-address").textContent = address;
    outsideSheet().showModal();
  }

  #isDark() {
    const theme = storedTheme();
    return theme ? theme === "dark" : this.#dark.matches;
  }

  #colour() {
    byId("theme-name").textContent = THEME_NAMES[THEMES.indexOf(storedTheme())] ?? THEME_NAMES[0];
    if (!byId("article").hidden && this.#frame.page?.body) this.#frame.colour(this.#isDark());
  }

  /** @param {number} top */
  #rememberScroll(top) {
    clearTimeout(this.#scrolling);
    const at = location.href;
    this.#scrolling = setTimeout(() => {
      if (at === location.href) history.replaceState({ ...history.state, top }, "");
    }, SCROLL_MS);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const typing = /** @type {Element | null} */ (event.target)?.closest?.("input, textarea");
    if ((event.key === "f" && (event.ctrlKey || event.metaKey)) || (event.key === "F3" && !typing)) {
      event.preventDefault();
      this.#find.open();
    } else if (event.key === "/" && !typing) {
      event.preventDefault();
      this.#titles.focus();
    }
  }
}

new Reader();
