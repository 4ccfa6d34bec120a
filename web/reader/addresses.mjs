// Addresses inside an archive: what a link in a page means, and where the reader shows it.

// A name that exists nowhere, so that relative links can be resolved as a browser would.
const ROOT = "https://example.invalid/";

/**
 * @typedef {{kind: "page", path: string, fragment: string} | {kind: "fragment", fragment: string}
 *   | {kind: "outside", address: string} | {kind: "none"}} Meaning
 */

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone "%": the path is meant as it stands
  }
}

/**
 * @param {string} link as it stands in a page
 * @param {string} base the page's own path
 * @returns {Meaning}
 */
export function meaning(link, base) {
  const text = link.trim();
  if (text.startsWith("#")) return { kind: "fragment", fragment: decoded(text.slice(1)) };
  const from = ROOT + base.split("/").map(encodeURIComponent).join("/");
  const url = URL.parse ? URL.parse(text, from) : parsed(text, from);
  if (!url) return { kind: "none" };
  if (url.href.startsWith(ROOT)) {
    const path = decoded(url.pathname.slice(1)) + decoded(url.search);
    return path ? { kind: "page", path, fragment: decoded(url.hash.slice(1)) } : { kind: "none" };
  }
  const outside = ["http:", "https:", "mailto:", "tel:", "geo:", "ftp:"].includes(url.protocol);
  return outside ? { kind: "outside", address: url.href } : { kind: "none" };
}

/** @param {string} text @param {string} base */
function parsed(text, base) {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** @param {string} source @param {string} path @param {string} [fragment] */
export function readerAddress(source, path, fragment = "") {
  const query = new URLSearchParams({ source, path });
  return `/reader/wiki.html?${query}${fragment ? `#${encodeURIComponent(fragment)}` : ""}`;
}
