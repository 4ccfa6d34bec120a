// The words of a page in its language: /locales/en.json, the language's own laid over it. Elements say
// which they show: data-t for their text, data-t-label, data-t-title and data-t-placeholder for those.

/** @type {Promise<Record<string, string>> | null} */
let loading = null;

/** @param {string} language @returns {Promise<Record<string, string>>} */
async function catalogue(language) {
  const response = await fetch(`/locales/${language}.json`);
  return response.ok ? response.json() : {};
}

/** @returns {Promise<Record<string, string>>} key → sentence with {names} */
export function words() {
  const language = document.documentElement.lang;
  loading ??= Promise.all([catalogue("en"), language === "en" ? {} : catalogue(language)])
    .then(([english, own]) => ({ ...english, ...own }));
  return loading;
}

/**
 * @param {Record<string, string>} known
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function fill(known, key, values = {}) {
  return Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(`{${name}}`, String(value)), known[key] ?? key,
  );
}

const PLACES = { t: "textContent", tLabel: "ariaLabel", tTitle: "title", tPlaceholder: "placeholder" };

/** Put the words into a page's own elements. @param {Document} page */
export async function translate(page) {
  const known = await words();
  const marked = page.querySelectorAll("[data-t],[data-t-label],[data-t-title],[data-t-placeholder]");
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (marked)) {
    for (const [mark, place] of Object.entries(PLACES)) {
      const key = node.dataset[mark];
      if (key) Object.assign(node, { [place]: known[key] ?? key });
    }
  }
}

await translate(document);
