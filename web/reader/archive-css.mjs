// An archive's own style sheets, cleaned: they may arrange a page and colour it, and nothing else.
// They end in a cascade layer, so that the reader's rules win, and `!important` is taken from them.

const MOST_CHARS = 1_500_000;
const ADDRESS = /url\(|src\(|image\(|image-set\(|element\(|cross-fade\(|paint\(|expression\(|\\/i;
const COLOUR = /^(?:color|background(?:-color|-image)?|border(?:-\w+)*-color|outline-color|box-shadow|text-shadow|caret-color|fill|stroke)$/;
const NEVER = /^(?:behavior|-moz-binding|src|cursor|content-visibility|will-change|z-index|animation.*|transition.*|scroll-.*|user-select|pointer-events)$/;
const WHITE = /^(?:white|rgb\(25[0-5], 25[0-5], 25[0-5]\))$/; // the page has a paper of its own
const PLACES = new Set(["fixed", "sticky", "absolute"]);

/**
 * Copy the harmless declarations of a style as CSS text.
 * @param {CSSStyleDeclaration} style
 * @param {boolean} dark without colours: they are meant for a white page
 */
export function safeDeclarations(style, dark) {
  let text = "";
  for (const name of style) {
    const value = style.getPropertyValue(name);
    if (ADDRESS.test(value) || NEVER.test(name)) continue;
    if (name === "background-color" && WHITE.test(value)) continue;
    if (name === "position" && PLACES.has(value)) continue;
    if (dark && (COLOUR.test(name) || name.startsWith("--"))) continue;
    text += `${name}:${value};`;
  }
  return text;
}

/** @param {CSSRuleList} rules @param {boolean} dark @returns {string} */
function safeRules(rules, dark) {
  let text = "";
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule) {
      const declarations = safeDeclarations(rule.style, dark);
      if (declarations && !ADDRESS.test(rule.selectorText.replaceAll("\\", ""))) {
        text += `${rule.selectorText}{${declarations}}`;
      }
    } else if (rule instanceof CSSMediaRule) {
      text += `@media ${rule.media.mediaText}{${safeRules(rule.cssRules, dark)}}`;
    } else if (rule instanceof CSSSupportsRule) {
      text += `@supports ${rule.conditionText}{${safeRules(rule.cssRules, dark)}}`;
    }
    // @import, @font-face, @namespace, @keyframes, @page and what is not known yet: left out
  }
  return text;
}

/** @type {Map<string, string>} the last cleaned sheets: most pages of an archive share theirs */
const known = new Map();
const MOST_KNOWN = 16;

/**
 * @param {string} css
 * @param {boolean} dark
 * @returns {string} CSS text in a layer
 */
export function safeCss(css, dark) {
  const key = `${dark}${css}`;
  const clean = known.get(key) ?? cleaned(css, dark);
  known.delete(key);
  known.set(key, clean);
  if (known.size > MOST_KNOWN) known.delete([...known.keys()][0]);
  return clean;
}

/** @param {string} css @param {boolean} dark */
function cleaned(css, dark) {
  const sheet = new CSSStyleSheet(); // belongs to no page: parsed, never loaded
  sheet.replaceSync(css.slice(0, MOST_CHARS));
  return `@layer archive{${safeRules(sheet.cssRules, dark)}}`;
}
