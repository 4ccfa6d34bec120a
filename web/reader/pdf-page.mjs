// One page of a PDF: a canvas, and above it the page's letters, transparent, to select, find and mark.
import { letters, places } from "/reader/pdf-passage.mjs";
import { Letters, mark } from "/reader/words-in-page.mjs";

const MOST_PIXELS = 16_000_000; // beyond, a canvas is drawn coarser
const CSS_UNITS = 96 / 72;

/** A page, drawn only while it is near. */
export class PdfPage {
  box = document.createElement("div");
  #text = document.createElement("div");
  #canvas = /** @type {HTMLCanvasElement | null} */ (null);
  /** @type {any} */
  #page = null;
  /** @type {any} */
  #drawing = null;
  #drawnAt = "";
  /** @type {any} */
  #layer = null;
  /** @type {Promise<void> | null} */
  #lettersReady = null;
  /** @type {Promise<void>} */
  #ready = Promise.resolve();

  /**
   * @param {any} pdfjs @param {any} pdf @param {number} number from 1
   * @param {{width: number, height: number}} size in points, as long as the page's own is not known
   */
  constructor(pdfjs, pdf, number, size) {
    this.pdfjs = pdfjs;
    this.pdf = pdf;
    this.number = number;
    this.size = size;
    /** @type {string} letters of the passage to mark */
    this.passage = "";
    /** @type {HTMLElement[]} */
    this.marks = [];
    this.box.className = "pdf-page";
    this.box.dataset.page = String(number);
    this.box.setAttribute("role", "group");
    this.box.setAttribute("aria-label", `Page ${number}`);
    this.#text.className = "pdf-text";
  }

  get drawn() {
    return this.#canvas !== null || this.#drawing !== null;
  }

  /** Give the box its size. @param {number} scale CSS pixels a point @param {number} turned degrees */
  lay(scale, turned) {
    this.scale = scale;
    this.turned = turned;
    const across = (turned / 90) % 2 === 1;
    const { width, height } = this.size;
    this.box.style.width = `${Math.floor((across ? height : width) * scale)}px`;
    this.box.style.height = `${Math.floor((across ? width : height) * scale)}px`;
    this.box.style.setProperty("--total-scale-factor", String(scale));
  }

  /** Draw it as it is laid; resolves when picture and letters are there. */
  draw() {
    const wanted = `${this.scale} ${this.turned}`;
    if (this.#drawnAt !== wanted) {
      this.#drawnAt = wanted;
      this.#ready = this.#draw();
    }
    return this.#ready;
  }

  async #draw() {
    try {
      this.#page ??= await this.pdf.getPage(this.number);
      const own = this.#page.getViewport({ scale: 1 });
      if (own.width !== this.size.width || own.height !== this.size.height) {
        this.size = { width: own.width, height: own.height };
        this.lay(this.scale ?? CSS_UNITS, this.turned ?? 0);
      }
      const viewport = this.#page.getViewport({ scale: this.scale, rotation: (this.#page.rotate + this.turned) % 360 });
      await Promise.all([this.#paint(viewport), this.#letters(viewport)]);
    } catch (error) {
      const { name, message } = /** @type {Error} */ (error);
      if (name === "RenderingCancelledException" || name === "AbortException") return;
      const note = document.createElement("p");
      note.className = "failed";
      note.textContent = `Page ${this.number} is damaged and cannot be drawn (${message}).`;
      this.box.replaceChildren(note);
    }
  }

  /** Let go of the picture and the letters. */
  drop() {
    this.#drawing?.cancel();
    this.#layer?.cancel();
    this.#drawing = this.#layer = this.#lettersReady = null;
    this.#drawnAt = "";
    if (this.#canvas) this.#canvas.width = this.#canvas.height = 0; // frees its memory now
    this.#canvas = null;
    this.marks = [];
    this.#text.replaceChildren();
    this.box.replaceChildren();
    this.#page?.cleanup();
  }

  /** Letters of the page, once they are drawn. */
  found() {
    return new Letters(this.#text, letters);
  }

  /** @param {any} viewport */
  async #paint(viewport) {
    this.#drawing?.cancel();
    const sharp = Math.min(devicePixelRatio || 1, Math.sqrt(MOST_PIXELS / (viewport.width * viewport.height)));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.floor(viewport.width * sharp));
    canvas.height = Math.max(1, Math.floor(viewport.height * sharp));
    const transform = sharp === 1 ? undefined : [sharp, 0, 0, sharp, 0, 0];
    const drawing = this.#page.render({ canvas, viewport, transform });
    this.#drawing = drawing;
    await drawing.promise;
    if (this.#drawing !== drawing) return;
    this.#drawing = null;
    this.#canvas?.remove();
    this.#canvas = canvas;
    canvas.setAttribute("aria-hidden", "true");
    this.box.prepend(canvas);
  }

  /** @param {any} viewport */
  async #letters(viewport) {
    const turned = String(viewport.rotation);
    if (this.#lettersReady && this.#text.dataset.mainRotation === turned) return this.#lettersReady;
    this.#layer?.cancel();
    this.#text.replaceChildren();
    this.box.append(this.#text);
    const layer = this.#layer = new this.pdfjs.TextLayer({
      textContentSource: this.#page.streamTextContent(),
      container: this.#text,
      viewport,
    });
    this.#lettersReady = layer.render().then(() => this.#mark());
    return this.#lettersReady;
  }

  #mark() {
    this.marks = [];
    if (!this.passage) return;
    const there = this.found();
    this.marks = mark(there, places(there.text, this.passage));
  }
}
