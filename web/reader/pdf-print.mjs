// Printing: the chosen pages are drawn one after the other as pictures, and only those are printed.
import { byId } from "/reader/elements.mjs";

const DOTS = 150 / 72; // pixels a point
const MOST = 200;

/** @param {any} pdf @param {() => number} current page */
export function offerPrint(pdf, current) {
  const sheet = /** @type {HTMLDialogElement} */ (byId("print-sheet"));
  const from = /** @type {HTMLInputElement} */ (byId("print-from"));
  const to = /** @type {HTMLInputElement} */ (byId("print-to"));
  const button = /** @type {HTMLButtonElement} */ (byId("print"));
  const box = byId("print-pages");
  const progress = byId("print-progress");
  button.disabled = false;
  button.onclick = () => {
    const all = pdf.numPages <= 30;
    from.value = String(all ? 1 : current());
    to.value = String(all ? pdf.numPages : current());
    from.max = to.max = String(pdf.numPages);
    progress.textContent = "";
    sheet.showModal();
  };
  byId("print-cancel").onclick = () => sheet.close();
  byId("print-form").onsubmit = async (event) => {
    event.preventDefault();
    const first = Math.max(1, Number(from.value) || 1);
    const last = Math.min(pdf.numPages, Number(to.value) || first);
    if (last < first || last - first >= MOST) {
      progress.textContent = `Choose 1 to ${MOST} pages, the first before the last.`;
      return;
    }
    try {
      for (let number = first; number <= last && sheet.open; number++) {
        progress.textContent = `Preparing page ${number} of ${last}…`;
        box.append(await picture(pdf, number));
      }
      if (!sheet.open) return;
      sheet.close();
      window.print();
    } catch (error) {
      progress.textContent = `A page cannot be drawn (${/** @type {Error} */ (error).message}).`;
    } finally {
      for (const image of box.querySelectorAll("img")) URL.revokeObjectURL(image.src);
      box.replaceChildren();
    }
  };
}

/** @param {any} pdf @param {number} number */
async function picture(pdf, number) {
  const page = await pdf.getPage(number);
  const viewport = page.getViewport({ scale: DOTS });
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(viewport.width);
  canvas.height = Math.ceil(viewport.height);
  await page.render({ canvas, viewport, intent: "print" }).promise;
  /** @type {Blob | null} */
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  if (!blob) throw new Error(`page ${number} is too large`);
  const image = new Image();
  image.src = URL.createObjectURL(blob);
  await image.decode();
  return image;
}
