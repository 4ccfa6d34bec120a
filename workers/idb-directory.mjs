// Where a browser has no OPFS (WebKitGTK, a page opened from a file in Chromium): the few members of
// FileSystemDirectoryHandle and FileSystemSyncAccessHandle that Cairn's storage uses, over IndexedDB.
//
// A file is a list of pieces. Reads and writes are synchronous on pieces in memory, or on Blobs (which
// the browser may keep on disk) for large files; flush() hands the changed pieces and the size to one
// IndexedDB transaction. Transactions on a store run in the order they were made, so after a crash the
// stored files are what they were at some moment between two flushes: what SQLite expects of a disk.

const PIECE = 256 * 1024;
const IN_MEMORY_BYTES = 16 * 1024 * 1024; // larger files keep their clean pieces as Blobs
const DIRTY_PIECES = 32; // so many changed pieces are written without waiting for a flush
const FILES = "files";
const PIECES = "pieces";

/** @param {IDBRequest<any>} request @returns {Promise<any>} */
const result = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/** @param {string} file every piece of it */
const piecesOf = (file, from = 0) => IDBKeyRange.bound([file, from], [file, Infinity]);

/** One directory, flat, over one IndexedDB database. One owner at a time (Web Lock `cairn-engine`). */
export class IdbDirectory {
  kind = "directory";
  /** @type {Set<Promise<void>>} transactions under way */
  #writing = new Set();

  /** @param {IDBDatabase} database */
  constructor(database) {
    this.database = database;
  }

  /** @param {string} name of the database */
  static async open(name) {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore(FILES);
      opening.result.createObjectStore(PIECES);
    };
    return new IdbDirectory(await result(opening));
  }

  /** @returns {AsyncGenerator<[string, {kind: "file"}]>} */
  async *entries() {
    const names = await result(this.#store(FILES).getAllKeys());
    for (const name of names) yield [String(name), { kind: "file" }];
  }

  /** @param {string} name @param {{create?: boolean}} [options] */
  async getFileHandle(name, { create = false } = {}) {
    if ((await this.sizeOf(name)) === undefined) {
      if (!create) throw new DOMException(`there is no file ${name}`, "NotFoundError");
      await this.commit((files) => files.put(0, name));
    }
    return new IdbFile(this, name);
  }

  /** @param {string} name */
  removeEntry(name) {
    return this.commit((files, pieces) => {
      files.delete(name);
      pieces.delete(piecesOf(name));
    });
  }

  /** @param {string} name @returns {Promise<number | undefined>} */
  sizeOf(name) {
    return result(this.#store(FILES).get(name));
  }

  /** @param {string} name @param {number} at @returns {Promise<ArrayBuffer | undefined>} */
  piece(name, at) {
    return result(this.#store(PIECES).get([name, at]));
  }

  /**
   * One transaction over both stores; resolves when it is on disk.
   * @param {(files: IDBObjectStore, pieces: IDBObjectStore) => void} work
   * @returns {Promise<void>}
   */
  commit(work) {
    const transaction = this.database.transaction([FILES, PIECES], "readwrite", { durability: "strict" });
    /** @type {Promise<void>} */
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new DOMException("aborted", "AbortError"));
    });
    this.#writing.add(done);
    void done.finally(() => this.#writing.delete(done)).catch(() => {});
    work(transaction.objectStore(FILES), transaction.objectStore(PIECES));
    return done;
  }

  /** Resolves when everything that was flushed is on disk. */
  async settled() {
    await Promise.allSettled(this.#writing);
  }

  /** @param {string} store */
  #store(store) {
    return this.database.transaction(store).objectStore(store);
  }
}

/** What getFileHandle() gives. */
class IdbFile {
  kind = "file";

  /** @param {IdbDirectory} directory @param {string} name */
  constructor(directory, name) {
    this.directory = directory;
    this.name = name;
  }

  async getFile() {
    return { size: (await this.directory.sizeOf(this.name)) ?? 0 };
  }

  async createSyncAccessHandle() {
    const size = (await this.directory.sizeOf(this.name)) ?? 0;
    const handle = new IdbSyncHandle(this.directory, this.name, size);
    for (let at = 0; at * PIECE < size; at++) {
      const bytes = await this.directory.piece(this.name, at);
      if (bytes) handle.adopt(at, new Uint8Array(bytes));
    }
    return handle;
  }
}

/** The synchronous half: what SQLite and Python read and write. */
class IdbSyncHandle {
  /** @type {(Uint8Array<ArrayBuffer> | Blob | undefined)[]} undefined: zeros */
  #pieces = [];
  /** @type {Set<number>} pieces whose stored bytes are older */
  #dirty = new Set();
  #changed = false;
  #size;
  /** @type {unknown} why an earlier write did not reach the disk */
  #failure;
  #reader = new FileReaderSync();
  #open = true;

  /**
   * @param {IdbDirectory} directory
   * @param {string} name
   * @param {number} size
   */
  constructor(directory, name, size) {
    this.directory = directory;
    this.name = name;
    this.#size = size;
  }

  /** Take a stored piece. @param {number} at @param {Uint8Array<ArrayBuffer>} bytes */
  adopt(at, bytes) {
    this.#pieces[at] = this.#size > IN_MEMORY_BYTES ? new Blob([bytes]) : bytes;
  }

  getSize() {
    this.#check();
    return this.#size;
  }

  /** @param {Uint8Array | Int8Array} into @param {{at: number}} place @returns {number} bytes read */
  read(into, { at }) {
    this.#check();
    const count = Math.max(0, Math.min(into.length, this.#size - at));
    for (let done = 0; done < count;) {
      const { index, offset, length } = span(at + done, count - done);
      const target = into.subarray(done, done + length);
      const piece = this.#pieces[index];
      target.fill(0);
      if (piece instanceof Blob) {
        target.set(new Uint8Array(this.#reader.readAsArrayBuffer(piece.slice(offset, offset + length))));
      } else if (piece) target.set(piece.subarray(offset, offset + length));
      done += length;
    }
    return count;
  }

  /** @param {Uint8Array | Int8Array} from @param {{at: number}} place @returns {number} bytes written */
  write(from, { at }) {
    this.#check();
    this.#complain();
    for (let done = 0; done < from.length;) {
      const { index, offset, length } = span(at + done, from.length - done);
      this.#editable(index).set(from.subarray(done, done + length), offset);
      done += length;
    }
    this.#size = Math.max(this.#size, at + from.length);
    this.#changed = true;
    if (this.#dirty.size >= DIRTY_PIECES) this.flush();
    return from.length;
  }

  /** @param {number} size */
  truncate(size) {
    this.#check();
    this.#complain();
    if (size < this.#size) {
      this.#pieces.length = Math.min(this.#pieces.length, Math.ceil(size / PIECE));
      for (const index of this.#dirty) if (index >= this.#pieces.length) this.#dirty.delete(index);
      const { index, offset } = span(size, 0);
      if (offset > 0 && this.#pieces[index]) this.#editable(index).fill(0, offset);
    }
    this.#changed ||= size !== this.#size;
    this.#size = size;
  }

  /** Have what changed written, all or nothing; a failure is told by the next call. */
  flush() {
    this.#check();
    this.#complain();
    if (!this.#changed) return;
    const [size, dirty] = [this.#size, [...this.#dirty]];
    this.#dirty.clear();
    this.#changed = false;
    this.directory.commit((files, pieces) => {
      files.put(size, this.name);
      pieces.delete(piecesOf(this.name, Math.ceil(size / PIECE)));
      for (const index of dirty) {
        const bytes = /** @type {Uint8Array<ArrayBuffer>} */ (this.#pieces[index]);
        pieces.put(bytes.buffer, [this.name, index]);
      }
    }).then(() => this.#release(dirty), (error) => {
      for (const index of dirty) if (this.#pieces[index]) this.#dirty.add(index);
      this.#changed = true;
      this.#failure = error;
    });
  }

  close() {
    if (!this.#open) return;
    this.flush();
    this.#open = false;
  }

  /** @param {number} index @returns {Uint8Array<ArrayBuffer>} in memory, to be changed */
  #editable(index) {
    let piece = this.#pieces[index];
    if (!(piece instanceof Uint8Array)) {
      const stored = piece && new Uint8Array(this.#reader.readAsArrayBuffer(piece));
      piece = new Uint8Array(PIECE);
      if (stored) piece.set(stored);
      this.#pieces[index] = piece;
    }
    this.#dirty.add(index);
    return piece;
  }

  /** Let go of the memory of pieces that are on disk. @param {number[]} indexes */
  #release(indexes) {
    if (this.#size <= IN_MEMORY_BYTES) return;
    for (const index of indexes) {
      const piece = this.#pieces[index];
      const clean = piece instanceof Uint8Array && !this.#dirty.has(index);
      if (clean) this.#pieces[index] = new Blob([piece]);
    }
  }

  #check() {
    if (!this.#open) throw new DOMException("The handle was closed.", "InvalidStateError");
  }

  #complain() {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure;
  }
}

/** The part of [at, at + length) that lies in one piece. @param {number} at @param {number} length */
function span(at, length) {
  const index = Math.floor(at / PIECE);
  const offset = at - index * PIECE;
  return { index, offset, length: Math.min(length, PIECE - offset) };
}
