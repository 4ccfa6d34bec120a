// The asynchronous half of the files port (pysrc/cairn/storage/ports.py), as
// pysrc/cairn/browser/files.py calls it: opening, slices, deletion, renaming, listing, space.
import { createOpfsFs } from "./opfs-fs.mjs";
import { IdbDirectory } from "./idb-directory.mjs";
import { OpfsStore } from "./opfs-store.mjs";
import { CairnError } from "./errors.mjs";

export const ROOT = "/cairn";
const DIRECTORY = "cairn";
const VIEWS = ".slices/";
const ENOENT = 44;
const TRIES = 20;
const RETRY_MS = 250;

/** Files in OPFS and where Python finds them. */
export class FilesHost {
  /**
   * @param {any} FS Emscripten's
   * @param {OpfsStore} store
   */
  constructor(FS, store) {
    this.FS = FS;
    this.store = store;
    FS.mkdirTree(ROOT);
    FS.mount(createOpfsFs(FS, store), {}, ROOT);
  }

  /** @param {string} name @returns {Promise<string>} its path */
  async ensure(name) {
    await this.store.ensure(name);
    return `${ROOT}/${name}`;
  }

  /**
   * @param {string} name
   * @param {number} offset
   * @param {number} length
   * @param {string} alias
   */
  async slice(name, offset, length, alias) {
    await this.#existing(name);
    this.#unlink(VIEWS + alias);
    this.store.open.slice(VIEWS + alias, name, offset, length);
    return `${ROOT}/${VIEWS}${alias}`;
  }

  /** @param {string} alias */
  async unmount(alias) {
    this.#unlink(VIEWS + alias);
  }

  /** Delete a file and its slices; open streams fail from now on. @param {string} name */
  async remove(name) {
    if (!this.store.has(name)) return;
    await this.store.ensure(name);
    for (const view of this.store.open.slicesOf(name)) this.#unlink(view);
    this.#unlink(name);
    await this.store.settled();
  }

  /**
   * Close a file that Python has closed; it can be ensured again. One that has slices stays open.
   * @param {string} name
   */
  async release(name) {
    if (!this.store.open.get(name) || this.store.open.slicesOf(name).length > 0) return;
    this.FS.destroyNode(this.FS.lookupPath(`${ROOT}/${name}`).node);
    await this.store.release(name);
  }

  /** @param {string} from @param {string} to */
  async rename(from, to) {
    await this.#existing(from);
    if (this.store.has(to)) await this.store.ensure(to);
    const parent = to.split("/").slice(0, -1).join("/");
    this.FS.mkdirTree(`${ROOT}/${parent}`);
    this.FS.rename(`${ROOT}/${from}`, `${ROOT}/${to}`);
    await this.store.settled();
  }

  /** @param {string} prefix */
  list(prefix) {
    return this.store.list(prefix);
  }

  /** @returns {"opfs" | "indexeddb"} */
  get kind() {
    return this.store.directory instanceof IdbDirectory ? "indexeddb" : "opfs";
  }

  async space() {
    // Absent values stay undefined: that is what becomes None in Python.
    const { usage, quota } = (await navigator.storage?.estimate?.()) ?? {};
    return { used: usage, quota, persisted: await navigator.storage?.persisted?.() };
  }

  close() {
    return this.store.close();
  }

  /** @param {string} name @returns {Promise<void>} */
  #existing(name) {
    if (!this.store.has(name)) throw new DOMException(`there is no file ${name}`, "NotFoundError");
    return this.store.ensure(name);
  }

  /** @param {string} path below the root; nothing happens when it is not there */
  #unlink(path) {
    try {
      this.FS.unlink(`${ROOT}/${path}`);
    } catch (error) {
      if (/** @type {any} */ (error)?.errno !== ENOENT) throw error;
    }
  }
}

/**
 * The directory in OPFS; where there is none, its stand-in over IndexedDB.
 * @param {string} name
 * @returns {Promise<FileSystemDirectoryHandle>}
 */
async function openDirectory(name) {
  const root = await navigator.storage?.getDirectory?.().catch((/** @type {DOMException} */ error) => {
    if (error.name !== "SecurityError") throw error; // a page opened from a file, or private browsing
  });
  if (root) return root.getDirectoryHandle(name, { create: true });
  const standIn = /** @type {unknown} */ (await IdbDirectory.open(`${name}-storage`));
  return /** @type {FileSystemDirectoryHandle} */ (standIn);
}

/**
 * Open Cairn's directory. An engine that was closed a moment ago (reload, take-over) may still hold
 * its files; one that keeps holding them is another tab that the lock does not know of.
 * @param {string} [name] of the directory
 * @returns {Promise<OpfsStore>}
 */
export async function openStore(name = DIRECTORY) {
  if (!navigator.storage?.getDirectory && !globalThis.indexedDB) {
    const said = "This browser offers no storage for files (neither OPFS nor IndexedDB).";
    const hint = "Use a current browser, outside private mode, over https or localhost.";
    throw new CairnError("storage_unavailable", said, { hint });
  }
  for (let left = TRIES; ; left--) {
    try {
      return await OpfsStore.open(await openDirectory(name));
    } catch (error) {
      const held = /** @type {DOMException} */ (error).name === "NoModificationAllowedError";
      if (!held || left === 0) throw whyClosed(/** @type {DOMException} */ (error));
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** @param {DOMException} error */
function whyClosed({ name, message }) {
  if (name === "NoModificationAllowedError") {
    return new CairnError("storage_unavailable", "Another tab still holds the library.", {
      hint: "Close the other Cairn tabs, then reload this page.", retryable: true,
    });
  }
  if (name === "QuotaExceededError") {
    return new CairnError("storage_full", "There is no space left for Cairn.", {
      hint: "Free some space on this device, then reload.", retryable: true,
    });
  }
  const said = `Private file storage could not be opened (${name}: ${message}).`;
  return new CairnError("storage_unavailable", said, {
    hint: "Leave private mode or allow this site to store data, then reload.", retryable: true,
  });
}
