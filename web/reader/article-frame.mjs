// The frame that holds an article. It cannot run scripts (sandbox), nor fetch anything but our two
// style sheets and pictures already in memory (its own policy). We reach into it from outside.
import { safeCss, safeDeclarations } from "/reader/archive-css.mjs";
import { Pictures } from "/reader/pictures.mjs";
import { safePage } from "/reader/sanitise.mjs";
import { Letters, mark } from "/reader/words-in-page.mjs";
import { dateName, languageName } from "/reader/elements.mjs";

const SKELETON = `<!doctype html><html><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src blob: data:; style-src 'self'; base-uri 'none'; form-action 'none'">
<link rel="stylesheet" href="/css/tokens.css"><link rel="stylesheet" href="/css/article.css"></head><body></body></html>`;
const RTL = new Set(["ara", "heb", "fas", "urd", "pus", "snd", "uig", "yid", "ckb", "div", "arz"]);

/** @typedef {{navigate: (path: string, fragment: string) => void, outside: (address: string) => void, key: (event: KeyboardEvent) => void, scrolled: (top: number) => void}} Handlers */

/** Shows one article at a time. */
export class ArticleFrame {
  /** @type {Pictures | null} */
  #pictures = null;
  /** @type {Promise<Document>} */
  #ready;
  /** @type {HTMLElement[]} */
  marks = [];
  /** @type {any} ArticleResult of protocol */
  #article = null;
  #dark = false;
  /** @type {string[]} style sheets of the article, as they came */
  #css = [];
  /** @type {Map<string, Promise<string>>} the archive's, by path: most pages share them */
  #sheets = new Map();

  /**
   * @param {HTMLIFrameElement} frame
   * @param {(path: string) => Promise<any>} resource
   * @param {Handlers} handlers
   */
  constructor(frame, resource, handlers) {
    this.frame = frame;
    this.resource = resource;
    this.handlers = handlers;
    this.#ready = new Promise((resolve) => {
      frame.addEventListener("load", () => resolve(this.#begin()), { once: true });
    });
    frame.hidden = false;
    frame.srcdoc = SKELETON;
  }

  /** @returns {Document} */
  get page() {
    return /** @type {Document} */ (this.frame.contentDocument);
  }

  /** @returns {Window & typeof globalThis} */
  get window() {
    return /** @type {any} */ (this.frame.contentWindow);
  }

  /** @param {any} article ArticleResult @param {boolean} dark */
  async show(article, dark) {
    const page = await this.#ready;
    this.#pictures?.close();
    this.#article = article;
    this.marks = [];
    const body = this.#content(article);
    const css = await Promise.all(body.styles.map((style) => this.#cssOf(style)));
    if (this.#article !== article) return; // another one was asked for meanwhile
    this.#css = css;
    page.documentElement.lang = article.language === "und" ? "" : article.language;
    page.documentElement.dir = body.dir || (RTL.has(article.language) ? "rtl" : "ltr");
    page.body.className = body.bodyClass;
    const main = page.createElement("main");
    main.className = "cairn-article";
    main.tabIndex = -1;
    main.append(...body.nodes);
    const titled = [...main.querySelectorAll("h1")].some((heading) => heading.textContent?.trim());
    page.body.replaceChildren(...this.#head(article, titled), main);
    this.colour(dark);
    for (const closed of page.querySelectorAll("details")) closed.open = true;
    for (const picture of page.querySelectorAll("img[src]")) picture.setAttribute("data-shown", "");
    this.#pictures = new Pictures(page, this.resource);
    this.frame.title = article.title;
    this.window.scrollTo(0, 0);
    // Keys scroll the article from here on, unless the person is in one of the boxes.
    if ([document.body, this.frame].includes(/** @type {any} */ (document.activeElement))) {
      main.focus({ preventScroll: true });
    }
    this.#mark(article.marks);
  }

  /** Colours of the page: the archive's own on white, ours in the dark. @param {boolean} dark */
  colour(dark) {
    this.#dark = dark;
    const { page } = this;
    page.documentElement.dataset.theme = dark ? "dark" : "light";
    page.adoptedStyleSheets = this.#css.map((css) => {
      const sheet = new this.window.CSSStyleSheet();
      sheet.replaceSync(safeCss(css, dark));
      return sheet;
    });
    for (const node of page.querySelectorAll("[data-style]")) {
      const element = /** @type {HTMLElement} */ (node);
      element.style.cssText = element.dataset.style ?? "";
      element.style.cssText = safeDeclarations(element.style, dark);
    }
  }

  /** @param {string} fragment @returns {boolean} whether there is such a place */
  goTo(fragment) {
    const target = this.page.getElementById(fragment) ?? this.page.getElementsByName(fragment)[0];
    target?.scrollIntoView({ block: "start" });
    return Boolean(target);
  }

  toPassage() {
    this.marks[0]?.scrollIntoView({ block: "center" });
    this.marks[0]?.focus({ preventScroll: true });
  }

  print() {
    this.window.focus();
    this.window.print();
  }

  /** @param {any} article */
  #content(article) {
    if (article.kind === "html") {
      const { body, styles, dir, bodyClass } = safePage(article.html, article);
      return { nodes: [...body.childNodes], styles, dir, bodyClass };
    }
    const node = document.createElement(article.kind === "text" ? "pre" : article.kind === "image" ? "img" : "p");
    if (article.kind === "image") Object.assign(node, { alt: article.title }).dataset.path = article.path;
    else if (article.kind === "text") node.textContent = article.html;
    else node.textContent = `This part of the archive is a file of the type ${article.mime}, which Cairn does not show.`;
    return { nodes: [node], styles: [], dir: "", bodyClass: "" };
  }

  /** @param {any} article @param {boolean} titled the page has a heading of its own */
  #head(article, titled) {
    const { page } = this;
    const line = page.createElement("p");
    line.className = "cairn-source";
    line.dir = "auto";
    const licence = article.licence ? `Licence: ${article.licence}` : "Licence not stated in the archive";
    const facts = [article.source_title, languageName(article.language), dateName(article.date), article.publisher, licence];
    line.textContent = facts.filter(Boolean).join(" · ");
    if (titled) return [line];
    const title = page.createElement("h1");
    title.className = "cairn-title";
    title.textContent = article.title;
    return [line, title];
  }

  /** @param {{path: string} | {text: string}} style @returns {Promise<string>} */
  async #cssOf(style) {
    if ("text" in style) return style.text;
    const known = this.#sheets.get(style.path) ?? this.#loadCss(style.path);
    this.#sheets.set(style.path, known);
    return known;
  }

  /** @param {string} path @returns {Promise<string>} */
  async #loadCss(path) {
    try {
      const { data } = await this.resource(path);
      return new TextDecoder().decode(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)));
    } catch {
      return ""; // a page without its style is a page
    }
  }

  /** @param {string[]} pieces */
  #mark(pieces) {
    if (!pieces.length) return;
    const letters = new Letters(this.page.body);
    this.marks = mark(letters, letters.passage(pieces));
    if (!this.marks.length) return;
    this.marks[0].tabIndex = -1;
    this.marks[0].classList.add("first");
    this.toPassage();
  }

  #begin() {
    const { page } = this;
    page.addEventListener("click", (event) => this.#activate(event));
    page.addEventListener("auxclick", (event) => this.#activate(event));
    page.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#activate(event);
      this.handlers.key(event);
    });
    page.addEventListener("submit", (event) => event.preventDefault());
    page.addEventListener("scroll", () => this.handlers.scrolled(this.window.scrollY));
    return page;
  }

  /** A link was clicked. @param {Event} event */
  #activate(event) {
    const link = /** @type {Element | null} */ (event.target)?.closest?.("a");
    if (!link) return;
    event.preventDefault();
    const path = link.getAttribute("data-path");
    const fragment = link.getAttribute("data-fragment") ?? "";
    const outside = link.getAttribute("data-outside");
    if (outside) this.handlers.outside(outside);
    else if (path) this.handlers.navigate(path, fragment);
    else if (fragment) this.goTo(fragment);
  }
}
