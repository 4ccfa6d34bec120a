// Files that the person chose, as the engine reads them: byte ranges, synchronously, without a copy.
// Pages hand them over on their port ({type: "files", key, files}); Python sees them through
// pysrc/cairn/browser/picked.py.

/** Files by key; one key names one archive, in one file or in parts. */
export class PickedFiles {
  /** @type {Map<string, File[]>} */
  #files = new Map();
  #reader = new FileReaderSync();

  /** @param {string} key @param {File[]} files */
  add(key, files) {
    this.#files.set(key, files);
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
  }

  /** @param {string} key @param {number} index @returns {File} */
  #file(key, index) {
    const file = this.#files.get(key)?.[index];
    if (!file) throw new DOMException(`There is no file ${index} of ${key}.`, "NotFoundError");
    return file;
  }
}
