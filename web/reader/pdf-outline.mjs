// The outline of a PDF, when it has one: its own headings, each leading to its page.
import { byId } from "/reader/elements.mjs";

const MOST = 2_000;
const MOST_DEPTH = 8;
const WIDE = "(min-width: 1180px)";

/** @param {any} pdf @param {(page: number) => void} go */
export async function showOutline(pdf, go) {
  const panel = byId("contents");
  const button = byId("contents-button");
  const wide = matchMedia(WIDE);
  const entries = await pdf.getOutline().catch(() => null);
  if (!entries?.length) return;
  const open = (/** @type {boolean} */ shown) => {
    panel.hidden = !shown;
    button.setAttribute("aria-expanded", String(shown));
    if (!shown) return;
    byId("thumbnails").hidden = true;
    byId("thumbnails-button").setAttribute("aria-expanded", "false");
  };
  let left = MOST;
  /** @param {any[]} items @param {number} depth */
  const list = (items, depth) => {
    const box = document.createElement("ol");
    for (const { title, dest, items: inner } of items) {
      if (left-- <= 0) break;
      const item = document.createElement("li");
      const link = document.createElement("button");
      item.dataset.level = depth > 1 ? "3" : "2";
      link.type = "button";
      link.className = "quiet";
      link.dir = "auto";
      link.textContent = String(title).trim() || "–";
      link.onclick = async () => {
        const page = await pageOf(pdf, dest);
        if (!wide.matches) open(false);
        if (page) go(page);
      };
      item.append(link);
      if (inner?.length && depth < MOST_DEPTH) item.append(list(inner, depth + 1));
      box.append(item);
    }
    return box;
  };
  panel.replaceChildren(list(entries, 1));
  button.hidden = false;
  button.onclick = () => open(panel.hidden === true);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || panel.hidden || wide.matches) return;
    open(false);
    button.focus();
  });
}

/** @param {any} pdf @param {any} dest @returns {Promise<number>} 0 when it leads nowhere */
async function pageOf(pdf, dest) {
  try {
    const place = typeof dest === "string" ? await pdf.getDestination(dest) : dest;
    const [target] = place ?? [];
    if (typeof target === "number") return target + 1;
    return target ? (await pdf.getPageIndex(target)) + 1 : 0;
  } catch {
    return 0;
  }
}
