// Files that the person chose, as the engine reads them: byte ranges, synchronously, without a copy.
// Pages hand them over on their port ({type: "files", key, files}); Python sees them through
// pysrc/cairn/browser/picked.py.

/** Files by key; one key names what goes together: an archive and its parts, a pack, documents. */
export class PickedFiles {
  /** @type {Map<string, File[]>} */
  #files = new Map();
  /** @type {Map<string, string[]>} */
  #paths = new Map();
  #reader = new FileReaderSync();

  /** @param {string} key @param {File[]} files @param {string[]} [paths] where each stood in a folder */
  add(key, files, paths) {
    this.#files.set(key, files);
    this.#paths.set(key, paths ?? files.map((file) => file.name));
  }

  /** @param {string} key @returns {string[]} */
  paths(key) {
    return this.#paths.get(key) ?? [];
  }

  /** @param {string} key @returns {string[]} */
  names(key) {
    return (this.#files.get(key) ?? []).map((file) => file.name);
  }

  /** @param {string} key @param {number} index */
  size(key, index) {
    return this.#file(key, index).size;
  }

  /**
   * Throws a DOMException (NotReadableError, NotFoundError) when the file was moved or changed.
   * @param {string} key
   * @param {number} index
   * @param {number} offset
   * @param {number} length
   */
  read(key, index, offset, length) {
    const part = this.#file(key, index).slice(offset, offset + length);
    return new Uint8Array(this.#reader.readAsArrayBuffer(part));
  }

  /** @param {string} key */
  forget(key) {
    this.#files.delete(key);
    this.#paths.delete(key);
  }

  /** @param {string} key @param {number} index @returns {File} */
  #file(key, index) {
    const file = this.#files.get(key)?.[index];
    if (!file) throw new DOMException(`There is no file ${index} of ${key}.`, "NotFoundError");
    return file;
  }
}
