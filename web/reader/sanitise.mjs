// An archive's page made harmless: no script, no style that acts, no address that would be asked.
// What stays is put into a frame that can neither run nor fetch anything (article-frame.mjs): either
// of the two would do, both have to fail at once.
import DOMPurify from "/vendor/dompurify/purify.es.mjs";
import { meaning, readerAddress } from "/reader/addresses.mjs";

const RULES = {
  USE_PROFILES: { html: true, mathMl: true },
  FORBID_TAGS: ["style", "link", "meta", "base", "form", "input", "button", "select", "option", "textarea", "iframe",
    "frame", "frameset", "object", "embed", "applet", "audio", "video", "source", "track", "map", "area", "template",
    "slot", "dialog", "noscript", "canvas", "svg", "image", "portal", "fencedframe"],
  FORBID_ATTR: ["srcset", "sizes", "ping", "action", "formaction", "background", "poster", "usemap", "ismap", "target",
    "autofocus", "contenteditable", "draggable", "popover", "popovertarget", "is", "slot", "part", "nonce", "accesskey",
    "lowsrc", "dynsrc", "longdesc", "cite", "manifest", "loading", "xlink:href", "xmlns"],
  ALLOW_DATA_ATTR: false,
  IN_PLACE: true,
};
const PICTURE = /^data:image\/(png|gif|jpeg|webp|avif|svg\+xml)[;,]/i;
const MOST_STYLES = 12;

/**
 * @typedef {object} SafePage
 * @property {HTMLElement} body a body in a document without a window: nothing in it loads
 * @property {({path: string} | {text: string})[]} styles the page's style sheets, in their order
 * @property {string} dir "rtl", "ltr" or ""
 * @property {string} bodyClass
 */

/**
 * @param {string} html
 * @param {{source: string, base: string}} place where the page stands
 * @returns {SafePage}
 */
export function safePage(html, { source, base }) {
  const inert = withStylesSetAside(html);
  const raw = new DOMParser().parseFromString(inert, "text/html"); // has no window: runs and loads nothing
  const found = styles(raw, base);
  const body = raw.body;
  for (const media of body.querySelectorAll("audio, video")) media.replaceWith(unplayed(media));
  // In place: what is cleaned is what is shown, never written out and parsed again.
  DOMPurify.sanitize(body, RULES);
  for (const element of body.querySelectorAll("*")) bind(element, source, base);
  return {
    body,
    styles: found,
    dir: (raw.documentElement.dir || raw.body.dir || "").toLowerCase(),
    bodyClass: raw.body.className,
  };
}

/**
 * Styles under names that mean nothing to a browser, and that {@link bind} and {@link styles} read
 * back: our own policy would refuse each of them aloud. What this misses is refused, as it should be.
 * @param {string} html
 */
function withStylesSetAside(html) {
  return html
    .replace(/<(\/?)style(?=[\s>])/gi, "<$1noframes")
    .replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/\sstyle(\s*=)/gi, " aria-style$1"));
}

/** Words in the place of a video or sound. @param {Element} media */
function unplayed(media) {
  const note = media.ownerDocument.createElement("p");
  const kind = media.localName === "video" ? "A video" : "A sound";
  const name = media.getAttribute("title") || media.getAttribute("aria-label") || "";
  note.className = "cairn-media";
  note.textContent = `${kind} stands here in the archive${name && `: ${name}`}. Cairn does not play it.`;
  return note;
}

/** Give links and pictures their meaning in the archive. @param {Element} element @param {string} source @param {string} base */
function bind(element, source, base) {
  const style = element.getAttribute("aria-style");
  element.removeAttribute("aria-style");
  if (style) element.setAttribute("data-style", style);
  const href = element.getAttribute("href");
  const src = element.getAttribute("src");
  element.removeAttribute("href");
  element.removeAttribute("src");
  if (element.localName === "a" && href !== null) bindLink(element, meaning(href, base), source);
  if (element.localName === "img" && src !== null) bindPicture(element, src, base);
}

/** @param {Element} link @param {import("./addresses.mjs").Meaning} target @param {string} source */
function bindLink(link, target, source) {
  if (target.kind === "page") {
    link.setAttribute("href", readerAddress(source, target.path, target.fragment));
    link.setAttribute("data-path", target.path);
    link.setAttribute("data-fragment", target.fragment);
  } else if (target.kind === "fragment") {
    link.setAttribute("href", `#${target.fragment}`);
    link.setAttribute("data-fragment", target.fragment);
  } else if (target.kind === "outside") {
    link.setAttribute("data-outside", target.address);
    link.setAttribute("role", "link");
    link.setAttribute("tabindex", "0");
    link.setAttribute("title", target.address);
  }
}

/** @param {Element} picture @param {string} src @param {string} base */
function bindPicture(picture, src, base) {
  if (PICTURE.test(src)) {
    picture.setAttribute("src", src);
    return;
  }
  const target = meaning(src, base);
  if (target.kind === "page") picture.setAttribute("data-path", target.path);
  else picture.setAttribute("data-absent", "");
}

/** @param {Document} raw @param {string} base */
function styles(raw, base) {
  /** @type {({path: string} | {text: string})[]} */
  const found = [];
  for (const node of raw.querySelectorAll("noframes, link[rel~='stylesheet' i][href]")) {
    if (node.localName === "noframes") {
      found.push({ text: node.textContent ?? "" });
      continue;
    }
    const target = meaning(node.getAttribute("href") ?? "", base);
    if (target.kind === "page") found.push({ path: target.path });
  }
  return found.slice(0, MOST_STYLES);
}
