// The files that Cairn keeps in OPFS, by name, with their sync access handles.
// Opening, creating and deleting there is asynchronous; what must be synchronous (SQLite creating a
// journal, os.replace) is served from spare files opened ahead and from the name map.
//
// Invariants: an open handle belongs to exactly one name or to the spare pool. A name whose stored
// file is not encode(name) is in the name map. An empty file need not outlive the engine.

import { oneAtATime } from "./one-at-a-time.mjs";
import { NameMap } from "./opfs-names.mjs";
import { OpenPaths } from "./opfs-open.mjs";
import { encode, scan, storedSize } from "./opfs-scan.mjs";
import { SparePool, openFile } from "./opfs-spares.mjs";

/** @typedef {import("./opfs-content.mjs").WholeFile} WholeFile */

/** Named files over one OPFS directory. One owner at a time (Web Lock `cairn-engine`). */
export class OpfsStore {
  /** What can be opened now: files that were ensured, and slices of them. */
  open = new OpenPaths();
  /** @type {Map<string, string>} every name → stored file */
  #stored = new Map();
  #serially = oneAtATime();

  /**
   * @param {FileSystemDirectoryHandle} directory
   * @param {NameMap} names
   */
  constructor(directory, names) {
    this.directory = directory;
    this.names = names;
    this.spares = new SparePool(directory);
  }

  /** @param {FileSystemDirectoryHandle} directory */
  static async open(directory) {
    const store = new OpfsStore(directory, await NameMap.open(directory));
    store.#stored = await scan(directory, store.names);
    await store.#balance();
    return store;
  }

  /** @param {string} name */
  has(name) {
    return this.#stored.has(name);
  }

  /** Open (creating it if need be), so that Python can open it by path. @param {string} name */
  ensure(name) {
    return this.#serially(async () => {
      if (this.open.get(name)) return;
      if (!this.has(name) && this.spares.holds(encode(name))) return void this.create(name);
      const used = new Set(this.#stored.values());
      const plain = used.has(encode(name)) ? this.spares.freshFile(used) : encode(name);
      this.#adopt(name, await openFile(this.directory, this.#stored.get(name) ?? plain));
    });
  }

  /** Create synchronously, from a spare. @param {string} name @returns {WholeFile | undefined} */
  create(name) {
    const content = this.spares.take(encode(name));
    if (!content) return undefined;
    this.#adopt(name, content);
    void this.settled();
    return content;
  }

  /** Delete an open file or slice synchronously. @param {string} path */
  drop(path) {
    const file = this.open.take(path);
    if (!file) return;
    this.#stored.delete(path);
    if (this.names.has(path)) this.names.commit({ [path]: null });
    this.#retire(file);
  }

  /** Let go of a file's handle: there may be more files than a browser lets be open. @param {string} name */
  release(name) {
    return this.#serially(async () => {
      const file = this.open.take(name);
      if (!file) return;
      file.flush();
      file.close();
    });
  }

  /** Rename synchronously and durably, replacing `to`. @param {string} from @param {string} to */
  move(from, to) {
    const file = /** @type {WholeFile} */ (this.open.get(from));
    this.names.commit({ [from]: null, [to]: file.file === encode(to) ? null : file.file });
    const replaced = this.open.take(to);
    this.open.take(from);
    this.open.set(to, file);
    this.#stored.delete(from);
    this.#stored.set(to, file.file);
    if (replaced) this.#retire(replaced);
  }

  /** @returns {Promise<{name: string, bytes: number}[]>} */
  async list(prefix = "") {
    const stored = [...this.#stored].filter(([name]) => name.startsWith(prefix)).sort();
    return Promise.all(stored.map(async ([name, file]) => {
      const bytes = this.open.get(name)?.size();
      return { name, bytes: bytes ?? await storedSize(this.directory, file) };
    }));
  }

  /** Resolves when deleted files are really gone and spares are ready. */
  settled() {
    return this.#serially(() => this.#balance());
  }

  /** Close every handle; nothing may be used afterwards. */
  close() {
    return this.#serially(async () => {
      this.open.close();
      this.spares.close();
      this.names.close();
      await /** @type {any} */ (this.directory).settled?.(); // IndexedDB writes on after a flush
    });
  }

  /** @param {string} name @param {WholeFile} content */
  #adopt(name, content) {
    const recorded = this.#stored.get(name) === content.file;
    if (!recorded && content.file !== encode(name)) this.names.commit({ [name]: content.file });
    this.#stored.set(name, content.file);
    this.open.set(name, content);
  }

  /** @param {WholeFile} content */
  #retire(content) {
    this.spares.put(content);
    void this.settled();
  }

  async #balance() {
    try {
      await this.spares.balance([...this.#stored.values()]);
    } catch (error) {
      console.warn("Cairn: spare files could not be prepared.", error); // creation says ENFILE then
    }
  }
}
