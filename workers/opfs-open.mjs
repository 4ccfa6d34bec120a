// What can be opened now, by path: whole files and slices of them. Directories follow from the paths.

import { Slice, WholeFile } from "./opfs-content.mjs";

/** Paths and their contents. */
export class OpenPaths {
  /** @type {Map<string, WholeFile | Slice>} */
  #contents = new Map();

  /** @param {string} path */
  get(path) {
    return this.#contents.get(path);
  }

  /** @param {string} path @param {WholeFile | Slice} content */
  set(path, content) {
    this.#contents.set(path, content);
  }

  /** @param {string} path @returns {WholeFile | undefined} the file that stood there, not a slice */
  take(path) {
    const content = this.#contents.get(path);
    this.#contents.delete(path);
    return content instanceof WholeFile ? content : undefined;
  }

  /** @param {string} directory "" or ending with "/" @returns {Set<string>} names inside, one level */
  children(directory) {
    const inside = [...this.#contents.keys()].filter((path) => path.startsWith(directory));
    return new Set(inside.map((path) => path.slice(directory.length).split("/", 1)[0]));
  }

  /**
   * Make bytes of an open file readable at a path of their own.
   * @param {string} alias
   * @param {string} name
   * @param {number} offset
   * @param {number} length
   */
  slice(alias, name, offset, length) {
    const source = this.#contents.get(name);
    if (!(source instanceof WholeFile)) throw new Error(`${name} is not open.`);
    if (offset < 0 || length < 0 || offset + length > source.size()) {
      throw new RangeError(`${name} has no bytes ${offset} to ${offset + length}.`);
    }
    this.#contents.set(alias, new Slice(source, offset, length));
  }

  /** @param {string} name @returns {string[]} paths of the slices of a file */
  slicesOf(name) {
    const source = this.#contents.get(name);
    const views = [...this.#contents].filter(([, c]) => c instanceof Slice && c.source === source);
    return views.map(([path]) => path);
  }

  close() {
    for (const content of this.#contents.values()) content.close();
    this.#contents.clear();
  }
}
