// The language of the interface: the person's choice, else the first of the browser's languages that
// there are words for. Set before the first paint, so that a right-to-left page never jumps.

/** Code → the language's own name, in the order of the list. */
export const LANGUAGES = Object.freeze({
  en: "English", es: "Español", fr: "Français", pt: "Português", de: "Deutsch", ar: "العربية",
  he: "עברית", hi: "हिन्दी", zh: "中文", ru: "Русский", tr: "Türkçe", sw: "Kiswahili",
});
const RIGHT_TO_LEFT = ["ar", "he"];
const KEY = "cairn-language";

/** @returns {string} a code of LANGUAGES, or "" (as the browser is set) */
export function chosenLanguage() {
  try {
    const kept = localStorage.getItem(KEY) ?? "";
    return kept in LANGUAGES ? kept : "";
  } catch {
    return ""; // storage may be refused; the browser's languages are a fine default
  }
}

/** @param {readonly string[]} wanted BCP 47, best first @returns {string} a code of LANGUAGES */
export function bestLanguage(wanted) {
  const known = wanted.map((tag) => tag.toLowerCase().split("-")[0]).map((code) => (code === "iw" ? "he" : code));
  return known.find((code) => code in LANGUAGES) ?? "en";
}

/** @param {string} code of LANGUAGES, or "" for the browser's */
export function applyLanguage(code) {
  try {
    localStorage.setItem(KEY, code);
  } catch {
    // not remembered, still applied
  }
  show();
}

function show() {
  const language = chosenLanguage() || bestLanguage(navigator.languages ?? [navigator.language]);
  document.documentElement.lang = language;
  document.documentElement.dir = RIGHT_TO_LEFT.includes(language) ? "rtl" : "ltr";
}

show();
Object.assign(globalThis, {
  cairnLanguage: {
    chosen: chosenLanguage, apply: applyLanguage, names: JSON.stringify(Object.entries(LANGUAGES)),
  },
});
