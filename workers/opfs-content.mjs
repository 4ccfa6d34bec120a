// What a file node of the Emscripten file system reads and writes: a whole stored file, or a
// read-only slice of one (a database that lies uncompressed inside a pack is opened in place).

/**
 * @typedef {object} Content
 * @property {boolean} readOnly
 * @property {() => number} size
 * @property {(into: Uint8Array | Int8Array, at: number) => number} read
 * @property {(from: Uint8Array | Int8Array, at: number) => number} write
 * @property {(size: number) => void} truncate
 * @property {() => void} flush
 * @property {() => void} close
 */

/** A write to something that is read-only. */
export class ReadOnlyError extends Error {
  name = "ReadOnlyError";
}

/** A whole file behind a sync access handle. @implements {Content} */
export class WholeFile {
  readOnly = false;

  /**
   * @param {string} file its name in the directory
   * @param {FileSystemSyncAccessHandle} handle
   */
  constructor(file, handle) {
    this.file = file;
    this.handle = handle;
  }

  size() {
    return this.handle.getSize();
  }

  /** @param {Uint8Array | Int8Array} into @param {number} at */
  read(into, at) {
    return this.handle.read(/** @type {Uint8Array<ArrayBuffer>} */ (into), { at });
  }

  /** @param {Uint8Array | Int8Array} from @param {number} at */
  write(from, at) {
    return this.handle.write(/** @type {Uint8Array<ArrayBuffer>} */ (from), { at });
  }

  /** @param {number} size */
  truncate(size) {
    this.handle.truncate(size);
  }

  flush() {
    this.handle.flush();
  }

  close() {
    this.handle.close();
  }
}

/** Bytes [offset, offset + length) of a file, read-only. @implements {Content} */
export class Slice {
  readOnly = true;

  /**
   * @param {WholeFile} source
   * @param {number} offset
   * @param {number} length
   */
  constructor(source, offset, length) {
    this.source = source;
    this.offset = offset;
    this.length = length;
  }

  size() {
    return this.length;
  }

  /** @param {Uint8Array | Int8Array} into @param {number} at */
  read(into, at) {
    const available = Math.max(0, Math.min(into.length, this.length - at));
    if (available === 0) return 0;
    return this.source.read(into.subarray(0, available), this.offset + at);
  }

  /** @returns {number} */
  write() {
    throw new ReadOnlyError("A slice cannot be written.");
  }

  /** @returns {void} */
  truncate() {
    throw new ReadOnlyError("A slice cannot be truncated.");
  }

  flush() {}

  close() {}
}
