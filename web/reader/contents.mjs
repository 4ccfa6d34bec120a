// The table of contents: the article's own headings.
import { byId } from "/reader/elements.mjs";

const WIDE = "(min-width: 1180px)";
const LEAST = 2;

/** A panel beside the article on wide screens, over it on others. */
export class Contents {
  #panel = byId("contents");
  #button = byId("contents-button");
  #wide = matchMedia(WIDE);

  /** @param {import("./article-frame.mjs").ArticleFrame} frame */
  constructor(frame) {
    this.frame = frame;
    this.#button.onclick = () => this.#open(this.#panel.hidden === true);
    this.#wide.addEventListener("change", () => this.#open(this.#wide.matches && !this.#button.hidden));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.#panel.hidden && !this.#wide.matches) {
        this.#open(false);
        this.#button.focus();
      }
    });
  }

  /** Draw them anew. */
  draw() {
    const headings = [...this.frame.page.querySelectorAll("h2, h3")].filter((heading) => {
      const aside = heading.closest("nav, .toc, #toc, [role=navigation]");
      return !aside && heading.textContent?.trim();
    });
    const list = document.createElement("ol");
    for (const heading of headings) list.append(this.#item(heading));
    this.#panel.replaceChildren(list);
    this.#button.hidden = headings.length < LEAST;
    this.#open(headings.length >= LEAST && this.#wide.matches);
  }

  /** @param {Element} heading */
  #item(heading) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    item.dataset.level = heading.localName.slice(1);
    button.type = "button";
    button.className = "quiet";
    button.dir = "auto";
    const words = heading.cloneNode(true);
    /** @type {Element} */ (words).querySelectorAll(".mw-editsection").forEach((edit) => edit.remove());
    button.textContent = words.textContent?.trim() ?? "";
    button.onclick = () => {
      heading.scrollIntoView({ block: "start" });
      if (!this.#wide.matches) this.#open(false);
    };
    item.append(button);
    return item;
  }

  /** @param {boolean} open */
  #open(open) {
    this.#panel.hidden = !open;
    this.#button.setAttribute("aria-expanded", String(open));
  }
}
