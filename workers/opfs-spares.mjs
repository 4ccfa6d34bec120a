// Open files kept ready for synchronous creation, and files on their way out after a synchronous
// deletion. OPFS itself opens and deletes only asynchronously.

import { WholeFile } from "./opfs-content.mjs";

const PREFIX = ".spare-";
const COUNT = 3;

/** A few empty open files. */
export class SparePool {
  /** @type {WholeFile[]} empty, open, belonging to no name */
  #spares = [];

  /** @param {FileSystemDirectoryHandle} directory */
  constructor(directory) {
    this.directory = directory;
  }

  /** @param {string} file whether a stored file is (or was) a spare */
  static owns(file) {
    return file.startsWith(PREFIX);
  }

  /** @param {string} file a spare that is this very file, else any; undefined when none is left */
  take(file) {
    const own = this.#spares.findIndex((spare) => spare.file === file);
    return this.#spares.splice(Math.max(own, 0), 1)[0];
  }

  /** @param {string} file */
  holds(file) {
    return this.#spares.some((spare) => spare.file === file);
  }

  /** Take a deleted file back; its bytes are freed at once. @param {WholeFile} content */
  put(content) {
    content.truncate(0);
    content.flush();
    this.#spares.push(content);
  }

  /** Bring the pool back to its number. @param {Iterable<string>} used files that belong to names */
  async balance(used) {
    const plain = this.#spares.filter((spare) => SparePool.owns(spare.file));
    for (const spare of [...this.#spares.filter((s) => !plain.includes(s)), ...plain.slice(COUNT)]) {
      const at = this.#spares.indexOf(spare);
      if (at < 0) continue; // taken meanwhile
      this.#spares.splice(at, 1);
      spare.handle.close();
      await this.directory.removeEntry(spare.file);
    }
    // All at once: at start every round trip counts.
    const taken = new Set(used);
    const missing = Array.from({ length: Math.max(0, COUNT - this.#spares.length) }, () => {
      const file = this.freshFile(taken);
      taken.add(file);
      return openFile(this.directory, file);
    });
    for (const spare of await Promise.all(missing)) {
      spare.truncate(0);
      this.#spares.push(spare);
    }
  }

  /** @param {Iterable<string>} used @returns {string} a stored file that nothing uses */
  freshFile(used) {
    const taken = new Set([...used, ...this.#spares.map((spare) => spare.file)]);
    let n = 0;
    while (taken.has(PREFIX + n)) n++;
    return PREFIX + n;
  }

  close() {
    for (const spare of this.#spares) spare.handle.close();
    this.#spares = [];
  }
}

/** @param {FileSystemDirectoryHandle} directory @param {string} file */
export async function openFile(directory, file) {
  const handle = await directory.getFileHandle(file, { create: true });
  return new WholeFile(file, await handle.createSyncAccessHandle());
}
