// Where the letters of a passage stand among the letters of a PDF page. The passage was put in reading
// order, its hyphens at line ends undone and running heads left out; a page holds part of it only.
// So: seeds of the passage are looked for and grown as far as the letters are the same.
const SEED = 16;
const STEP = 4;
const GAP = 6;

/** @typedef {{start: number, end: number}} Place in the letters of the page */

/** @param {string} text lower case, without spaces, hyphens, marks of lists and tables, invisible characters */
export function letters(text) {
  return text.replace(/[\s\p{Pd}#|*•\u00ad\u200b-\u200f\u2060\ufeff]+/gu, "").toLowerCase();
}

/**
 * @param {string} page letters of a page
 * @param {string} passage letters of a passage
 * @returns {Place[]} in the order of the page, apart from each other
 */
export function places(page, passage) {
  const size = Math.min(SEED, passage.length);
  /** @type {Place[]} */
  const found = [];
  let cursor = 0;
  let at = 0;
  while (size && at + size <= passage.length) {
    const seed = passage.slice(at, at + size);
    let start = page.indexOf(seed, cursor);
    if (start < 0) start = page.indexOf(seed);
    if (start < 0) {
      at += at + STEP + size <= passage.length ? STEP : 1;
      continue;
    }
    let length = size;
    while (at + length < passage.length && passage[at + length] === page[start + length]) length++;
    let before = 0; // a seed may begin some letters late
    while (before < STEP && at > before && start > before && passage[at - before - 1] === page[start - before - 1]) before++;
    found.push({ start: start - before, end: start + length });
    cursor = start + length;
    at += length;
  }
  return joined(found);
}

/** @param {Place[]} found @returns {Place[]} */
function joined(found) {
  /** @type {Place[]} */
  const kept = [];
  for (const place of found.toSorted((a, b) => a.start - b.start)) {
    const last = kept.at(-1);
    if (last && place.start - last.end <= GAP) last.end = Math.max(last.end, place.end);
    else kept.push({ ...place });
  }
  return kept;
}
