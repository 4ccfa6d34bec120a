// Find in the article, whatever its markup; matches are painted by the Custom Highlight API where the
// browser has it, and by selecting the current one elsewhere.
import { byId } from "/reader/elements.mjs";
import { Letters } from "/reader/words-in-page.mjs";

const MOST = 500;

/** The bar below the tools. */
export class FindBar {
  #bar = byId("find-bar");
  #box = /** @type {HTMLInputElement} */ (byId("find-box"));
  #button = byId("find-button");
  /** @type {Range[]} */
  #ranges = [];
  #current = 0;

  /** @param {import("./article-frame.mjs").ArticleFrame} frame */
  constructor(frame) {
    this.frame = frame;
    this.#button.onclick = () => (this.#bar.hidden ? this.open() : this.close());
    byId("find-close").onclick = () => this.close();
    byId("find-previous").onclick = () => this.#step(-1);
    this.#box.addEventListener("input", () => this.#search());
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
    this.#search();
  }

  close() {
    this.#bar.hidden = true;
    this.#button.setAttribute("aria-expanded", "false");
    this.#paint([]);
    this.#button.focus();
  }

  /** Another article is shown. */
  reset() {
    if (!this.#bar.hidden) this.#search();
  }

  #search() {
    const words = this.#box.value;
    const letters = words.trim() ? new Letters(this.frame.page.body) : null;
    this.#current = 0;
    this.#paint(letters ? letters.all(words, MOST).map((place) => letters.range(place)) : []);
    if (this.#ranges.length) this.#step(0);
    else byId("find-count").textContent = words.trim() ? "Not found" : "";
  }

  /** @param {number} by */
  #step(by) {
    const count = this.#ranges.length;
    if (!count) return;
    this.#current = (this.#current + by + count) % count;
    const range = this.#ranges[this.#current];
    const most = count === MOST ? `${count}+` : `${count}`;
    byId("find-count").textContent = `${this.#current + 1} of ${most}`;
    const { window } = this.frame;
    const spot = range.getBoundingClientRect();
    if (spot.top < 40 || spot.bottom > window.innerHeight - 40) {
      window.scrollBy(0, spot.top - window.innerHeight / 3);
    }
    if (window.CSS.highlights) {
      window.CSS.highlights.set("cairn-found", new window.Highlight(...this.#ranges));
      window.CSS.highlights.set("cairn-current", new window.Highlight(range));
    } else {
      window.getSelection()?.removeAllRanges();
      window.getSelection()?.addRange(range);
    }
  }

  /** @param {Range[]} ranges */
  #paint(ranges) {
    this.#ranges = ranges;
    this.frame.window.CSS.highlights?.clear();
    byId("find-count").textContent = "";
  }
}
