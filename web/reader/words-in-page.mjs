// Finding text in a page whatever its markup: the page's letters without spaces and reference marks,
// each with its place. Used to mark the cited passage and to find in the page.

const ASIDE = ".reference, .mw-ref, .mw-editsection, .noprint, rt, rp, annotation, .cairn-source, style, script";
const LEAST = 2;
const NEAR = 4_000;
const ENDS = 24;

/** @typedef {{start: number, end: number}} Place in the letters */

/** The letters of a page, in reading order. */
export class Letters {
  /** @type {Text[]} */
  #nodes = [];
  /** @type {number[]} first letter of each node */
  #firsts = [];
  /** @type {number[][]} offset in its node of each letter */
  #offsets = [];
  text = "";

  /**
   * @param {Node} root
   * @param {(text: string) => string} reduce what of a text counts, character by character
   */
  constructor(root, reduce = bare) {
    this.reduce = reduce;
    const page = /** @type {Document} */ (root.ownerDocument);
    const walker = page.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!(/** @type {Text} */ (node)).parentElement?.closest(ASIDE)) this.#take(/** @type {Text} */ (node));
    }
  }

  /** @param {Text} node */
  #take(node) {
    const offsets = [];
    let letters = "";
    const data = node.data;
    for (let at = 0; at < data.length; at++) {
      const letter = this.reduce(data[at]);
      for (let n = 0; n < letter.length; n++) offsets.push(at);
      letters += letter;
    }
    if (!letters) return;
    this.#nodes.push(node);
    this.#firsts.push(this.text.length);
    this.#offsets.push(offsets);
    this.text += letters;
  }

  /**
   * Where pieces of a passage stand, those that are found.
   * @param {string[]} pieces in reading order
   * @returns {Place[]}
   */
  passage(pieces) {
    const wanted = pieces.map(this.reduce);
    const longest = wanted.reduce((best, piece, n) => (piece.length > wanted[best].length ? n : best), 0);
    const anchor = wanted.length ? this.#place(wanted[longest], 0, this.text.length) : null;
    if (!anchor) return [];
    /** @type {(Place | null)[]} */
    const found = wanted.map(() => null);
    found[longest] = anchor;
    let from = anchor.end;
    for (let n = longest + 1; n < wanted.length; n++) {
      found[n] = this.#place(wanted[n], from, from + NEAR);
      from = found[n]?.end ?? from;
    }
    let to = anchor.start;
    for (let n = longest - 1; n >= 0; n--) {
      found[n] = this.#before(wanted[n], to);
      to = found[n]?.start ?? to;
    }
    return found.filter((place) => place !== null);
  }

  /** @param {string} words @param {number} most @returns {Place[]} */
  all(words, most) {
    const piece = this.reduce(words);
    const found = [];
    if (!piece) return [];
    for (let at = this.text.indexOf(piece); at >= 0 && found.length < most; at = this.text.indexOf(piece, at + 1)) {
      found.push({ start: at, end: at + piece.length });
    }
    return found;
  }

  /** @param {Place} place @returns {{node: Text, from: number, to: number}[]} its parts, node by node */
  parts({ start, end }) {
    const parts = [];
    for (let n = this.#nodeOf(start); n < this.#nodes.length && this.#firsts[n] < end; n++) {
      const offsets = this.#offsets[n];
      const first = Math.max(0, start - this.#firsts[n]);
      const last = Math.min(offsets.length, end - this.#firsts[n]) - 1;
      parts.push({ node: this.#nodes[n], from: offsets[first], to: offsets[last] + 1 });
    }
    return parts;
  }

  /** @param {Place} place @returns {Range} */
  range(place) {
    const parts = this.parts(place);
    const last = parts[parts.length - 1];
    const range = /** @type {Document} */ (parts[0].node.ownerDocument).createRange();
    range.setStart(parts[0].node, parts[0].from);
    range.setEnd(last.node, last.to);
    return range;
  }

  /** A piece as it is, else from its first to its last letters. @param {string} piece @param {number} from @param {number} to @returns {Place | null} */
  #place(piece, from, to) {
    if (piece.length < LEAST) return null;
    const at = this.text.indexOf(piece, from);
    if (at >= 0 && at <= to) return { start: at, end: at + piece.length };
    if (piece.length < 3 * ENDS) return null;
    const head = this.text.indexOf(piece.slice(0, ENDS), from);
    const tail = head < 0 ? -1 : this.text.indexOf(piece.slice(-ENDS), head);
    if (tail < 0 || head > to || tail - head > 2 * piece.length) return null;
    return { start: head, end: tail + ENDS };
  }

  /** @param {string} piece @param {number} to @returns {Place | null} */
  #before(piece, to) {
    if (piece.length < LEAST) return null;
    const at = this.text.lastIndexOf(piece, to - piece.length);
    return at >= 0 && to - at <= NEAR + piece.length ? { start: at, end: at + piece.length } : null;
  }

  /** @param {number} at */
  #nodeOf(at) {
    let low = 0;
    let high = this.#firsts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#firsts[middle] <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** @param {string} text lower case, without spaces and invisible characters */
function bare(text) {
  return text.replace(/[\s\u00ad\u200b-\u200f\u2060\ufeff]+/gu, "").toLowerCase();
}

/**
 * Wrap places in `<mark>`.
 * @param {Letters} letters made before, used up by this
 * @param {Place[]} places
 * @returns {HTMLElement[]}
 */
export function mark(letters, places) {
  const parts = places.flatMap((place) => letters.parts(place));
  /** @type {HTMLElement[]} */
  const marks = [];
  for (const { node, from, to } of parts.reverse()) { // from the end: splitting keeps what is before
    if (!node.data.slice(from, to).trim()) continue;
    node.splitText(to);
    const middle = node.splitText(from);
    const wrap = /** @type {Document} */ (node.ownerDocument).createElement("mark");
    middle.replaceWith(wrap);
    wrap.append(middle);
    marks.unshift(wrap);
  }
  return marks;
}
