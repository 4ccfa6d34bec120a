// The text layer of PDFs, by pdf.js: what every page draws, where, in which direction. Which order it
// is read in is decided in Python (cairn.sources.documents.pdf_layout).
import { CairnError } from "./errors.mjs";

/**
 * @typedef {[text: string, x: number, y: number, width: number, height: number, angle: number,
 *            endsLine: number, rtl: number]} Item
 */
/** @typedef {{number: number, width: number, height: number, items: Item[], pictures: boolean}} PageText */

const HINT = "Check that it opens elsewhere, or save it again and add it.";
const MOST_OUTLINE = 2_000;
const MOST_DEPTH = 12;

/** One open PDF. */
export class PdfPages {
  /** @type {any} */
  #task = null;
  /** @type {any} */
  #document = null;
  /** @type {any} */
  #operators;

  /**
   * @param {any} pdfjs the library
   * @param {object} where its data files lie: cMapUrl, standardFontDataUrl, wasmUrl …
   */
  constructor(pdfjs, where) {
    this.pdfjs = pdfjs;
    this.where = where;
    const { OPS } = pdfjs;
    this.#operators = new Set([
      OPS.paintImageXObject, OPS.paintInlineImageXObject, OPS.paintImageMaskXObject, OPS.paintImageXObjectRepeat,
    ]);
  }

  /** @param {{data: Uint8Array, name: string, password: string}} file */
  async open({ data, name, password }) {
    await this.close();
    this.#task = this.pdfjs.getDocument({
      data,
      password,
      ...this.where,
      isEvalSupported: false,
      enableXfa: false,
      disableFontFace: true,
      useSystemFonts: false,
      stopAtErrors: false,
      verbosity: 0,
    });
    try {
      this.#document = await this.#task.promise;
    } catch (error) {
      await this.close();
      throw refusal(/** @type {Error} */ (error), name);
    }
    const { info, metadata } = await this.#document.getMetadata().catch(() => ({}));
    return {
      pages: this.#document.numPages,
      title: String(metadata?.get("dc:title") ?? info?.Title ?? ""),
      language: String(info?.Language ?? ""),
      outline: await this.#outline(),
    };
  }

  /** @param {{number: number, name: string}} which @returns {Promise<PageText>} */
  async page({ number, name }) {
    if (!this.#document) throw new CairnError("document_unreadable", `“${name}” is not open.`);
    try {
      return await this.#read(number);
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      throw new CairnError("document_unreadable", `Page ${number} of “${name}” is damaged (${message}).`, { hint: HINT });
    }
  }

  async close() {
    const task = this.#task;
    this.#task = this.#document = null;
    await task?.destroy();
  }

  /** @param {number} number @returns {Promise<PageText>} */
  async #read(number) {
    const page = await this.#document.getPage(number);
    const view = page.getViewport({ scale: 1 });
    const content = await page.getTextContent({ includeMarkedContent: false, disableNormalization: false });
    /** @type {Item[]} */
    const items = content.items.map((/** @type {any} */ item) => placed(item, view, this.pdfjs.Util));
    const pictures = items.some(([text]) => text.trim()) ? false : await this.#drawsPictures(page);
    page.cleanup();
    return { number, width: view.width, height: view.height, items, pictures };
  }

  /** @param {any} page */
  async #drawsPictures(page) {
    const { fnArray } = await page.getOperatorList();
    return fnArray.some((/** @type {number} */ operator) => this.#operators.has(operator));
  }

  /** @returns {Promise<[page: number, depth: number, words: string][]>} */
  async #outline() {
    /** @type {[number, number, string][]} */
    const found = [];
    /** @param {any[]} entries @param {number} depth */
    const walk = async (entries, depth) => {
      for (const { title, dest, items } of entries) {
        if (found.length >= MOST_OUTLINE) return;
        const page = await this.#pageOf(dest);
        if (page) found.push([page, depth, String(title).trim()]);
        if (depth < MOST_DEPTH) await walk(items ?? [], depth + 1);
      }
    };
    await walk((await this.#document.getOutline().catch(() => [])) ?? [], 1);
    return found;
  }

  /** @param {any} dest @returns {Promise<number>} 0 when it leads nowhere */
  async #pageOf(dest) {
    try {
      const place = typeof dest === "string" ? await this.#document.getDestination(dest) : dest;
      const [target] = place ?? [];
      if (typeof target === "number") return target + 1;
      return target ? (await this.#document.getPageIndex(target)) + 1 : 0;
    } catch {
      return 0;
    }
  }
}

/**
 * @param {any} item of pdf.js
 * @param {any} view
 * @param {any} Util
 * @returns {Item}
 */
function placed({ str, dir, width, height, transform, hasEOL }, view, Util) {
  // As the page is looked at (its own rotation applied), y upwards.
  const [a, b, , , x, y] = Util.transform(view.transform, transform);
  const angle = Math.round((Math.atan2(-b, a) * 180) / Math.PI);
  const round = (/** @type {number} */ value) => Math.round(value * 100) / 100;
  const size = height || Math.hypot(transform[2], transform[3]);
  return [str, round(x), round(view.height - y), round(width), round(size), angle, hasEOL ? 1 : 0, dir === "rtl" ? 1 : 0];
}

/** @param {Error} error of pdf.js @param {string} name */
function refusal(error, name) {
  if (error.name === "PasswordException") {
    const wrong = /** @type {any} */ (error).code === 2;
    return new CairnError(
      "password_needed",
      wrong ? `This password does not open “${name}”.` : `“${name}” opens only with a password.`,
      { hint: "Type its password: it is used once and not kept." },
    );
  }
  return new CairnError("document_unreadable", `“${name}” cannot be read: it is no whole PDF (${error.message}).`, { hint: HINT });
}
