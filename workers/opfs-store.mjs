// The files that Cairn keeps in OPFS, by name, with their sync access handles.
// Opening, creating and deleting there is asynchronous; what must be synchronous (SQLite creating a
// journal, os.replace) is served from spare files opened ahead and from the name map.
//
// Invariants: an open handle belongs to exactly one name or to the spare pool. A name whose stored
// file is not encode(name) is in the name map. An empty file need not outlive the engine.

import { Slice, WholeFile } from "./opfs-content.mjs";
import { NameMap } from "./opfs-names.mjs";
import { encode, scan, storedSize } from "./opfs-scan.mjs";
import { SparePool, openFile } from "./opfs-spares.mjs";

/** Named files over one OPFS directory. One owner at a time (Web Lock `cairn-engine`). */
export class OpfsStore {
  /** @type {Map<string, string>} every name → stored file */
  #stored = new Map();
  /** @type {Map<string, WholeFile | Slice>} what can be opened now, by path */
  #open = new Map();
  /** @type {Promise<unknown>} asynchronous work, one after the other */
  #queue = Promise.resolve();

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

  /** @param {string} path @returns {WholeFile | Slice | undefined} */
  content(path) {
    return this.#open.get(path);
  }

  /** @param {string} directory "" or ending with "/" @returns {Set<string>} names inside, one level */
  children(directory) {
    const inside = [...this.#open.keys()].filter((path) => path.startsWith(directory));
    return new Set(inside.map((path) => path.slice(directory.length).split("/", 1)[0]));
  }

  /** Open (creating it if need be), so that Python can open it by path. @param {string} name */
  ensure(name) {
    return this.#serially(async () => {
      if (this.#open.has(name)) return;
      if (!this.#stored.has(name) && this.spares.holds(encode(name))) return void this.create(name);
      const used = new Set(this.#stored.values());
      const plain = used.has(encode(name)) ? this.spares.freshFile(used) : encode(name);
      const content = await openFile(this.directory, this.#stored.get(name) ?? plain);
      this.#adopt(name, content);
    });
  }

  /** Create synchronously, from a spare. @param {string} name @returns {WholeFile | undefined} */
  create(name) {
    const content = this.spares.take(encode(name));
    if (!content) return undefined;
    this.#adopt(name, content);
    void this.#serially(() => this.#balance());
    return content;
  }

  /** Delete an open file or slice synchronously. @param {string} path */
  drop(path) {
    const content = this.#open.get(path);
    this.#open.delete(path);
    if (!(content instanceof WholeFile)) return;
    this.#stored.delete(path);
    if (this.names.has(path)) this.names.commit({ [path]: null });
    this.#retire(content);
  }

  /** Rename synchronously and durably, replacing `to`. @param {string} from @param {string} to */
  move(from, to) {
    const content = /** @type {WholeFile} */ (this.#open.get(from));
    const replaced = this.#open.get(to);
    this.names.commit({ [from]: null, [to]: content.file === encode(to) ? null : content.file });
    this.#open.delete(from);
    this.#stored.delete(from);
    this.#open.set(to, content);
    this.#stored.set(to, content.file);
    if (replaced instanceof WholeFile) this.#retire(replaced);
  }

  /**
   * @param {string} alias path of the view
   * @param {string} name
   * @param {number} offset
   * @param {number} length
   */
  slice(alias, name, offset, length) {
    const source = this.#open.get(name);
    if (!(source instanceof WholeFile)) throw new Error(`${name} is not open.`);
    if (offset < 0 || length < 0 || offset + length > source.size()) {
      throw new RangeError(`${name} has no bytes ${offset} to ${offset + length}.`);
    }
    this.#open.set(alias, new Slice(source, offset, length));
  }

  /** @param {string} name @returns {string[]} paths of the slices of a file */
  slicesOf(name) {
    const source = this.#open.get(name);
    const views = [...this.#open].filter(([, c]) => c instanceof Slice && c.source === source);
    return views.map(([path]) => path);
  }

  /** @returns {Promise<{name: string, bytes: number}[]>} */
  async list(prefix = "") {
    const names = [...this.#stored.keys()].filter((name) => name.startsWith(prefix)).sort();
    return Promise.all(names.map(async (name) => {
      const bytes = this.#open.get(name)?.size();
      return { name, bytes: bytes ?? await storedSize(this.directory, this.#stored.get(name) ?? "") };
    }));
  }

  /** Resolves when deleted files are really gone and spares are ready. */
  settled() {
    return this.#serially(() => this.#balance());
  }

  /** Close every handle; nothing may be used afterwards. */
  close() {
    return this.#serially(async () => {
      for (const content of this.#open.values()) content.close();
      this.#open.clear();
      this.spares.close();
      this.names.close();
    });
  }

  /** @param {string} name @param {WholeFile} content */
  #adopt(name, content) {
    const recorded = this.#stored.get(name) === content.file;
    if (!recorded && content.file !== encode(name)) this.names.commit({ [name]: content.file });
    this.#stored.set(name, content.file);
    this.#open.set(name, content);
  }

  /** @param {WholeFile} content */
  #retire(content) {
    this.spares.put(content);
    void this.#serially(() => this.#balance());
  }

  async #balance() {
    try {
      await this.spares.balance([...this.#stored.values()]);
    } catch (error) {
      console.warn("Cairn: spare files could not be prepared.", error); // creation says ENFILE then
    }
  }

  /** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  #serially(work) {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    return done;
  }
}
