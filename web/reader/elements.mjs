// Small helpers of the reader pages.

/**
 * The element with this id, which the page's HTML must have.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @returns {T}
 */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`#${id} is missing`);
  return /** @type {T} */ (node);
}

/** @param {string} code ISO 639-3 */
export function languageName(code) {
  try {
    return new Intl.DisplayNames([navigator.language, "en"], { type: "language" }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** @param {string} date YYYY-MM-DD, or anything else an archive says */
export function dateName(date) {
  const parsed = /^\d{4}-\d\d-\d\d$/.test(date) ? new Date(`${date}T12:00:00Z`) : null;
  if (!parsed || Number.isNaN(parsed.getTime())) return date;
  return parsed.toLocaleDateString(undefined, { year: "numeric", month: "long", day: "numeric" });
}
