// The page's two JavaScript libraries, handed to the MicroPython modules as plain functions.
// Model output and document text are untrusted: nothing reaches the page except through here.
import { marked } from "/vendor/marked/marked.esm.js";
import DOMPurify from "/vendor/dompurify/purify.es.mjs";

const ALLOWED = {
  ALLOWED_TAGS: ["p", "br", "strong", "em", "code", "pre", "ul", "ol", "li", "blockquote", "h1", "h2", "h3", "h4",
    "table", "thead", "tbody", "tr", "th", "td", "hr", "sup", "sub"],
  ALLOWED_ATTR: ["start", "align"],
};

/**
 * Markdown to HTML that holds no link, image, script, style or attribute that could act.
 * @param {string} text
 * @returns {string}
 */
export function renderMarkdown(text) {
  const html = /** @type {string} */ (marked.parse(text, { async: false, gfm: true, breaks: false }));
  return DOMPurify.sanitize(html, ALLOWED);
}

Object.assign(globalThis, { cairnRenderMarkdown: renderMarkdown });
