// Small pictures of the pages, drawn as they come into view.
import { byId } from "/reader/elements.mjs";

const WIDE_PX = 132;
const WIDE = "(min-width: 1180px)";

/** @param {any} pdf @param {import("./pdf-view.mjs").PdfView} view */
export function offerThumbnails(pdf, view) {
  const panel = byId("thumbnails");
  const button = /** @type {HTMLButtonElement} */ (byId("thumbnails-button"));
  const wide = matchMedia(WIDE);
  const open = (/** @type {boolean} */ shown) => {
    panel.hidden = !shown;
    button.setAttribute("aria-expanded", String(shown));
    if (!shown) return;
    byId("contents").hidden = true;
    byId("contents-button").setAttribute("aria-expanded", "false");
    if (!panel.firstChild) fill();
    panel.querySelectorAll("[aria-current]").forEach((one) => one.removeAttribute("aria-current"));
    const here = panel.querySelectorAll("button")[view.current - 1];
    here?.setAttribute("aria-current", "page");
    here?.scrollIntoView({ block: "center" });
    here?.focus({ preventScroll: true });
  };
  const fill = () => {
    const watch = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const place = /** @type {HTMLElement} */ (target);
        if (!isIntersecting) place.querySelector("canvas")?.remove();
        else if (!place.querySelector("canvas")) void picture(pdf, Number(place.dataset.page), place);
      }
    }, { root: panel, rootMargin: "50% 0px" });
    const list = document.createElement("ol");
    for (const page of view.pages) {
      const item = document.createElement("li");
      const choose = document.createElement("button");
      const frame = document.createElement("span");
      choose.type = "button";
      choose.className = "quiet";
      frame.className = "thumbnail";
      frame.dataset.page = String(page.number);
      frame.style.width = `${WIDE_PX}px`;
      frame.style.height = `${Math.round((WIDE_PX * page.size.height) / page.size.width)}px`;
      choose.append(frame, `Page ${page.number}`);
      choose.onclick = () => {
        view.go(page.number);
        if (!wide.matches) open(false);
      };
      item.append(choose);
      list.append(item);
      watch.observe(frame);
    }
    panel.replaceChildren(list);
  };
  button.disabled = false;
  button.onclick = () => open(panel.hidden === true);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || panel.hidden) return;
    open(false);
    button.focus();
  });
}

/** @param {any} pdf @param {number} number @param {HTMLElement} place */
async function picture(pdf, number, place) {
  const canvas = document.createElement("canvas");
  place.append(canvas);
  try {
    const page = await pdf.getPage(number);
    const { width } = page.getViewport({ scale: 1 });
    const viewport = page.getViewport({ scale: (WIDE_PX * Math.min(devicePixelRatio || 1, 2)) / width });
    canvas.width = Math.ceil(viewport.width);
    canvas.height = Math.ceil(viewport.height);
    await page.render({ canvas, viewport }).promise;
  } catch {
    canvas.dataset.failed = ""; // the page itself says why
  }
}
