// Says so when the page itself cannot start: a script of it is missing, or it takes too long. The
// strip under the question box would say "Starting" for ever otherwise, since nothing draws it.

const LATE_MS = 45_000;
const NAME = "page";

/** @param {string} text */
function say(text) {
  const banners = document.getElementById("banners");
  if (document.documentElement.dataset.page === "ready" || !banners) return;
  banners.querySelector(`[data-name="${NAME}"]`)?.remove();
  const banner = document.createElement("div");
  Object.assign(banner.dataset, { name: NAME, kind: "failed" });
  banner.className = "banner";
  const words = document.createElement("p");
  words.textContent = text;
  const button = document.createElement("button");
  button.textContent = "Reload";
  button.addEventListener("click", () => location.reload());
  banner.append(words, button);
  banners.append(banner);
}

/** Watch until the page says that it is ready. */
export function watchPage() {
  const missing = (/** @type {string} */ url) => say(
    `A part of the page could not be loaded (${new URL(url, location.href).pathname}). `
    + "Reload the page; if it stays, open it where Cairn was installed from.",
  );
  addEventListener("error", ({ target }) => {
    if (target instanceof HTMLScriptElement) missing(target.src);
  }, { capture: true });
  const late = setTimeout(() => say("The page is taking long to start. Wait a little, or reload it."), LATE_MS);
  new MutationObserver((_, observer) => {
    if (document.documentElement.dataset.page !== "ready") return;
    observer.disconnect();
    clearTimeout(late);
    document.querySelector(`#banners [data-name="${NAME}"]`)?.remove();
  }).observe(document.documentElement, { attributeFilter: ["data-page"] });
  checkLoaded(missing);
}

/**
 * What failed before this ran, or was asked for by a script, has no event here: look at what was got.
 * @param {(url: string) => void} missing
 */
function checkLoaded(missing) {
  const bad = (/** @type {any} */ entry) => entry.responseStatus >= 400
    && /\/(ui|vendor\/(pyscript|micropython))\//.test(entry.name);
  new PerformanceObserver((list) => {
    const entry = list.getEntries().find(bad);
    if (entry) missing(entry.name);
  }).observe({ type: "resource", buffered: true });
}
