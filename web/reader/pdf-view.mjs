// The pages of a PDF one below the other: those near are drawn, a few are kept, the others are empty
// boxes of their size.
import { PdfPage } from "/reader/pdf-page.mjs";

const MOST_DRAWN = 10;
const NEAR = "60% 0px";
const CSS_UNITS = 96 / 72;
const STEP = 1.2;
const LEAST = 0.25;
const MOST = 6;
const GUTTER = 24;
const SETTLE_MS = 120;

/** The scrolled pages. */
export class PdfView {
  /** @type {PdfPage[]} */
  pages = [];
  scale = CSS_UNITS;
  turned = 0;
  #fits = true;
  #current = 1;
  /** @type {Set<PdfPage>} */
  #near = new Set();
  #watch;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #settling;

  /**
   * @param {HTMLElement} box that scrolls
   * @param {(page: number) => void} moved another page is the current one
   */
  constructor(box, moved) {
    this.box = box;
    this.moved = moved;
    this.#watch = new IntersectionObserver((entries) => this.#seen(entries), { root: box, rootMargin: NEAR });
    box.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    new ResizeObserver(() => {
      clearTimeout(this.#settling);
      this.#settling = setTimeout(() => this.#fits && this.pages.length && this.fit(), SETTLE_MS);
    }).observe(box);
  }

  get current() {
    return this.#current;
  }

  /**
   * @param {any} pdfjs @param {any} pdf @param {number} first page to show
   * @param {string} passage letters to mark @param {number} from page @param {number} to page
   */
  async show(pdfjs, pdf, first, passage, from, to) {
    const { width, height } = (await pdf.getPage(first)).getViewport({ scale: 1 });
    const made = (/** @type {any} */ _, /** @type {number} */ n) => new PdfPage(pdfjs, pdf, n + 1, { width, height });
    this.pages = Array.from({ length: pdf.numPages }, made);
    for (const page of this.pages.slice(from - 1, to)) page.passage = passage;
    this.box.replaceChildren(...this.pages.map((page) => page.box));
    this.box.hidden = false;
    this.#lay(this.#fitting());
    this.go(first);
    await this.pages[first - 1].draw();
    this.go(first);
    for (const page of this.pages) this.#watch.observe(page.box);
  }

  /** @param {number} number shown from its top */
  go(number) {
    const page = this.pages[Math.min(Math.max(number, 1), this.pages.length) - 1];
    if (!page) return;
    this.box.scrollTop = page.box.offsetTop - this.box.offsetTop - 8;
    this.#arrive(page.number);
  }

  /** Draw a page and bring a part of it into view. @param {number} number @param {(page: PdfPage) => DOMRect | undefined} where */
  async reveal(number, where) {
    const page = this.pages[number - 1];
    const view = this.box.getBoundingClientRect();
    const shown = page.box.getBoundingClientRect();
    if (shown.bottom < view.top || shown.top > view.bottom) this.go(number);
    await page.draw();
    const spot = where(page);
    if (!spot) return;
    if (spot.top < view.top + 20 || spot.bottom > view.bottom - 20) {
      this.box.scrollTop += spot.top - view.top - Math.min(view.height / 4, 160);
    }
    if (spot.left < view.left || spot.right > view.right) this.box.scrollLeft += spot.left - view.left - 20;
    this.#arrive(number);
  }

  /** @param {number} steps larger, or smaller when negative */
  zoom(steps) {
    this.#fits = false;
    this.#lay(Math.min(MOST, Math.max(LEAST, this.scale * STEP ** steps)));
  }

  fit() {
    this.#fits = true;
    this.#lay(this.#fitting());
  }

  rotate() {
    this.turned = (this.turned + 90) % 360;
    this.#lay(this.#fits ? this.#fitting() : this.scale);
  }

  /** The width of the current page fills the box, as far as that is no more than 1.6 of its own size. */
  #fitting() {
    const page = this.pages[this.#current - 1] ?? this.pages[0];
    const across = (this.turned / 90) % 2 === 1;
    const width = across ? page.size.height : page.size.width;
    return Math.min((this.box.clientWidth - GUTTER) / width, CSS_UNITS * 1.6);
  }

  /** @param {number} scale */
  #lay(scale) {
    const page = this.pages[this.#current - 1];
    const above = this.box.scrollTop + this.box.offsetTop - page.box.offsetTop;
    const share = above / (page.box.offsetHeight || 1);
    this.scale = scale;
    for (const each of this.pages) each.lay(scale, this.turned);
    this.box.scrollTop = page.box.offsetTop - this.box.offsetTop + share * page.box.offsetHeight;
    for (const each of this.pages) {
      if (this.#near.has(each)) void each.draw();
      else if (each.drawn) each.drop();
    }
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #seen(entries) {
    for (const { target, isIntersecting } of entries) {
      const page = this.pages[Number(/** @type {HTMLElement} */ (target).dataset.page) - 1];
      if (!page || page.box !== target) continue;
      if (isIntersecting) this.#near.add(page);
      else this.#near.delete(page);
    }
    for (const page of this.#near) void page.draw();
    const drawn = this.pages.filter((page) => page.drawn && !this.#near.has(page));
    const far = (/** @type {PdfPage} */ page) => Math.abs(page.number - this.#current);
    drawn.sort((a, b) => far(b) - far(a));
    for (const page of drawn.slice(0, Math.max(0, drawn.length + this.#near.size - MOST_DRAWN))) page.drop();
  }

  #scrolled() {
    if (this.box.scrollTop + this.box.clientHeight >= this.box.scrollHeight - 2) {
      this.#arrive(this.pages.length); // a short last page cannot come to the top
      return;
    }
    const middle = this.box.scrollTop + this.box.offsetTop + this.box.clientHeight / 3;
    let low = 0;
    let high = this.pages.length - 1;
    while (low < high) {
      const at = (low + high + 1) >> 1;
      if (this.pages[at].box.offsetTop <= middle) low = at;
      else high = at - 1;
    }
    this.#arrive(low + 1);
  }

  /** @param {number} number */
  #arrive(number) {
    if (number === this.#current) return;
    this.#current = number;
    this.moved(number);
  }
}
