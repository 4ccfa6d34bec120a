// The pictures of a page: fetched from the archive as they come near, a few at a time, and let go of
// with the page.

const AT_ONCE = 3;
const MOST_BYTES = 96 * 1_048_576;
const AHEAD = "800px 0px";
// Other types would be a way to have the browser open something else than a picture.
const TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml", "image/bmp",
  "image/x-icon", "image/vnd.microsoft.icon"]);

/** @typedef {(path: string) => Promise<{mime: string, data: string}>} Fetch */

/** @param {{mime: string, data: string}} resource @returns {Blob} */
function blob({ mime, data }) {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  return new Blob([bytes], { type: mime });
}

/** Shows the pictures of one page; end it with close(). */
export class Pictures {
  /** @type {HTMLImageElement[]} */
  #waiting = [];
  #running = 0;
  #bytes = 0;
  #closed = false;
  /** @type {Map<string, Promise<string>>} addresses of blobs by path */
  #addresses = new Map();
  /** @type {IntersectionObserver} */
  #observer;

  /** @param {Document} page @param {Fetch} fetch */
  constructor(page, fetch) {
    this.fetch = fetch;
    this.#observer = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        this.#observer.unobserve(target);
        this.#waiting.push(/** @type {HTMLImageElement} */ (target));
      }
      this.#work();
    }, { root: page, rootMargin: AHEAD });
    for (const image of page.querySelectorAll("img[data-path]")) this.#observer.observe(image);
    for (const image of page.querySelectorAll("img[data-absent]")) refuse(/** @type {HTMLImageElement} */ (image));
  }

  close() {
    this.#closed = true;
    this.#observer.disconnect();
    for (const address of this.#addresses.values()) void address.then(URL.revokeObjectURL, () => {});
  }

  #work() {
    while (this.#running < AT_ONCE && this.#waiting.length && !this.#closed) {
      const image = /** @type {HTMLImageElement} */ (this.#waiting.shift());
      this.#running += 1;
      void this.#show(image).catch(() => refuse(image)).finally(() => {
        this.#running -= 1;
        this.#work();
      });
    }
  }

  /** @param {HTMLImageElement} image */
  async #show(image) {
    const path = image.dataset.path ?? "";
    const address = this.#addresses.get(path) ?? this.#load(path);
    this.#addresses.set(path, address);
    image.src = await address;
    await image.decode();
    image.dataset.shown = "";
  }

  /** @param {string} path @returns {Promise<string>} */
  async #load(path) {
    if (this.#bytes > MOST_BYTES) throw new Error("This page has too many pictures to show all of them.");
    const resource = await this.fetch(path);
    if (!TYPES.has(resource.mime)) throw new Error(`${path} is no picture.`);
    const content = blob(resource);
    this.#bytes += content.size;
    return URL.createObjectURL(content);
  }
}

/** Show the words of a picture in its place. @param {HTMLImageElement} image */
function refuse(image) {
  image.removeAttribute("src");
  image.dataset.refused = "";
}
