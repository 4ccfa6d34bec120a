// The box that searches titles while one types: a combobox over a list.
import { byId } from "/reader/elements.mjs";

const PAUSE_MS = 120;

/** @typedef {{path: string, title: string}} Title */

/** Suggests titles and tells which one was chosen. */
export class TitleSearch {
  #box = /** @type {HTMLInputElement} */ (byId("title-box"));
  #list = byId("title-list");
  /** @type {Title[]} */
  #titles = [];
  #chosen = -1;
  #asked = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {(prefix: string) => Promise<Title[]>} suggest
   * @param {(title: Title) => void} open
   */
  constructor(suggest, open) {
    this.suggest = suggest;
    this.open = open;
    this.#box.disabled = false;
    this.#box.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#ask(), PAUSE_MS);
    });
    this.#box.addEventListener("keydown", (event) => this.#key(event));
    this.#box.addEventListener("blur", () => this.#show([]));
    byId("title-form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#submit();
    });
    this.#list.addEventListener("pointerdown", (event) => {
      event.preventDefault(); // keeps the focus in the box, which would close the list
      const item = /** @type {Element} */ (event.target).closest("li");
      if (item) this.#open(Number(item.dataset.index));
    });
  }

  focus() {
    this.#box.focus();
    this.#box.select();
  }

  /** @returns {Promise<void>} */
  async #ask() {
    const prefix = this.#box.value.trim();
    const asked = ++this.#asked;
    const found = prefix ? await this.suggest(prefix).catch(() => []) : [];
    if (asked === this.#asked) this.#show(found);
  }

  async #submit() {
    if (this.#chosen < 0) {
      clearTimeout(this.#timer);
      await this.#ask();
    }
    this.#open(Math.max(0, this.#chosen));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.#titles.length) {
      event.preventDefault();
      this.#choose((this.#chosen + step + this.#titles.length) % this.#titles.length);
    } else if (event.key === "Escape") {
      this.#show([]);
    }
  }

  /** @param {number} index */
  #choose(index) {
    this.#chosen = index;
    [...this.#list.children].forEach((item, n) => item.setAttribute("aria-selected", String(n === index)));
    this.#list.children[index]?.scrollIntoView({ block: "nearest" });
    this.#box.setAttribute("aria-activedescendant", index < 0 ? "" : `title-${index}`);
  }

  /** @param {number} index */
  #open(index) {
    const title = this.#titles[index];
    if (!title) return;
    this.#asked++;
    this.#box.value = "";
    this.#show([]);
    this.#box.blur();
    this.open(title);
  }

  /** @param {Title[]} titles */
  #show(titles) {
    this.#titles = titles;
    this.#list.replaceChildren(...titles.map(({ title }, index) => {
      const item = document.createElement("li");
      Object.assign(item, { id: `title-${index}`, textContent: title, dir: "auto" });
      item.setAttribute("role", "option");
      item.dataset.index = String(index);
      return item;
    }));
    this.#list.hidden = titles.length === 0;
    this.#box.setAttribute("aria-expanded", String(titles.length > 0));
    this.#choose(-1);
  }
}
