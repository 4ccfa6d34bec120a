// The unpacked snapshot, kept in OPFS: reading 31 MB from there takes a tenth of unpacking them.
// Nothing is lost when it is: it is made again from the checked file of the build.

const DIRECTORY = "cairn-start";
const FILE = "snapshot";
const TAG_BYTES = 64;
const IDLE_MS = 5_000;

/** One file: a tag (the SHA-256 of the packed snapshot that it came from), then the memory. */
export class SnapshotCache {
  /** @param {string} tag */
  constructor(tag) {
    this.tag = new TextEncoder().encode(tag);
  }

  /** @returns {Promise<Uint8Array<ArrayBuffer> | null>} null when there is none, or of another build */
  read() {
    return this.#open((handle) => {
      const tag = new Uint8Array(TAG_BYTES);
      handle.read(tag, { at: 0 });
      if (tag.some((byte, at) => byte !== this.tag[at])) return null;
      const bytes = new Uint8Array(handle.getSize() - TAG_BYTES);
      return handle.read(bytes, { at: TAG_BYTES }) === bytes.length ? bytes : null;
    });
  }

  /** Keep these bytes once the start is over. @param {Uint8Array<ArrayBuffer>} bytes */
  keepLater(bytes) {
    setTimeout(() => void this.#open((handle) => {
      handle.truncate(0);
      handle.write(bytes, { at: TAG_BYTES });
      handle.flush();
      // Last, so that a file that a crash cut short never carries a valid tag.
      handle.write(this.tag, { at: 0 });
      handle.flush();
      return null;
    }), IDLE_MS);
    return bytes;
  }

  /** It did not start: never try it again. */
  forget() {
    return this.#open((handle) => {
      handle.truncate(0);
      return null;
    });
  }

  /**
   * @template T
   * @param {(handle: FileSystemSyncAccessHandle) => T} work
   * @returns {Promise<T | null>} null when storage does not want to: the packed file serves
   */
  async #open(work) {
    try {
      const root = await navigator.storage.getDirectory();
      const directory = await root.getDirectoryHandle(DIRECTORY, { create: true });
      const file = await directory.getFileHandle(FILE, { create: true });
      const handle = await file.createSyncAccessHandle();
      try {
        return work(handle);
      } finally {
        handle.close();
      }
    } catch {
      return null;
    }
  }
}
