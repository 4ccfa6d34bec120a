// Find in a PDF: every page's letters are looked through, also of those that are not drawn.
import { byId } from "/reader/elements.mjs";
import { letters } from "/reader/pdf-passage.mjs";

const MOST = 1_000;
const WAIT_MS = 250;

/** The bar below the tools. */
export class PdfFind {
  #bar = byId("find-bar");
  #box = /** @type {HTMLInputElement} */ (byId("find-box"));
  #button = /** @type {HTMLButtonElement} */ (byId("find-button"));
  #count = byId("find-count");
  /** @type {Map<number, string>} page → its letters */
  #letters = new Map();
  /** @type {{page: number, nth: number}[]} */
  #found = [];
  #at = 0;
  #search = 0;
  #whole = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #waiting;

  /** @param {any} pdf @param {import("./pdf-view.mjs").PdfView} view */
  constructor(pdf, view) {
    this.pdf = pdf;
    this.view = view;
    this.#button.disabled = false;
    this.#button.onclick = () => (this.#bar.hidden ? this.open() : this.close());
    byId("find-close").onclick = () => this.close();
    byId("find-previous").onclick = () => this.#step(-1);
    this.#box.addEventListener("input", () => {
      clearTimeout(this.#waiting);
      this.#waiting = setTimeout(() => void this.#look(), WAIT_MS);
    });
    this.#bar.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#step(1);
    });
    this.#bar.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
  }

  open() {
    this.#bar.hidden = false;
    this.#button.setAttribute("aria-expanded", "true");
    this.#box.focus();
    this.#box.select();
  }

  close() {
    this.#search++;
    this.#bar.hidden = true;
    this.#button.setAttribute("aria-expanded", "false");
    this.#paint(null, []);
    this.#button.focus();
  }

  async #look() {
    const search = ++this.#search;
    const words = letters(this.#box.value);
    this.#found = [];
    this.#at = 0;
    this.#whole = false;
    this.#paint(null, []);
    this.#count.textContent = "";
    if (!words) return;
    const first = this.view.current;
    for (let n = 0; n < this.pdf.numPages && this.#found.length < MOST; n++) {
      const page = ((first - 1 + n) % this.pdf.numPages) + 1; // from the page that is read on
      const text = await this.#lettersOf(page);
      if (search !== this.#search) return;
      let nth = 0;
      for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) this.#found.push({ page, nth: nth++ });
      if (this.#found.length && this.#found.length === nth && nth) this.#step(0);
      else this.#say();
    }
    this.#whole = true;
    this.#say();
  }

  /** @param {number} page */
  async #lettersOf(page) {
    let text = this.#letters.get(page);
    if (text === undefined) {
      try {
        const content = await (await this.pdf.getPage(page)).getTextContent();
        text = letters(content.items.map((/** @type {any} */ item) => item.str ?? "").join(""));
      } catch {
        text = ""; // a damaged page has no letters; it says so where it is drawn
      }
      this.#letters.set(page, text);
    }
    return text;
  }

  #say() {
    const count = this.#found.length;
    if (count) this.#count.textContent = `${this.#at + 1} of ${count}${this.#whole ? "" : "…"}`;
    else this.#count.textContent = this.#whole ? "Not found" : "Looking…";
  }

  /** @param {number} by */
  #step(by) {
    if (!this.#found.length) return;
    this.#at = (this.#at + by + this.#found.length) % this.#found.length;
    this.#say();
    const { page, nth } = this.#found[this.#at];
    const words = this.#box.value;
    void this.view.reveal(page, (shown) => {
      const there = shown.found();
      const ranges = there.all(words, MOST).map((place) => there.range(place));
      this.#paint(ranges[nth] ?? null, ranges);
      return ranges[nth]?.getBoundingClientRect();
    });
  }

  /** @param {Range | null} current @param {Range[]} ranges */
  #paint(current, ranges) {
    if (CSS.highlights) {
      CSS.highlights.clear();
      if (!current) return;
      CSS.highlights.set("cairn-found", new Highlight(...ranges.filter((range) => range !== current)));
      CSS.highlights.set("cairn-current", new Highlight(current));
    } else if (current) {
      getSelection()?.removeAllRanges();
      getSelection()?.addRange(current);
    }
  }
}
