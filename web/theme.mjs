// Applies the remembered theme before the first paint, so that nobody is blinded at night.
const KEY = "cairn-theme";

/** @returns {string} "light", "dark" or "" (follow the system) */
export function storedTheme() {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return ""; // storage may be refused; the system's choice is a fine default
  }
}

/** @param {string} theme */
export function applyTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // not remembered, still applied
  }
}

applyTheme(storedTheme());
Object.assign(globalThis, { cairnTheme: { stored: storedTheme, apply: applyTheme } });
