// Which stored file carries which name, for the few names that differ from their file's own.
// A file in OPFS can only be created and renamed asynchronously, Python and SQLite do both
// synchronously; so a rename here is one small durable record. Two slots are written in turn, each
// with its generation and checksum: a torn write leaves the other slot valid.

const SLOTS = [".names-0", ".names-1"];

/** @typedef {{generation: number, names: Record<string, string>}} Slot */

/** Name → stored file, kept in two alternating slots. */
export class NameMap {
  /** @type {Map<string, string>} */
  #names = new Map();
  #generation = 0;

  /** @param {FileSystemSyncAccessHandle[]} slots */
  constructor(slots) {
    this.slots = slots;
  }

  /** @param {FileSystemDirectoryHandle} directory */
  static async open(directory) {
    const slots = await openAll(SLOTS.map(async (slot) => {
      const file = await directory.getFileHandle(slot, { create: true });
      return file.createSyncAccessHandle();
    }));
    const map = new NameMap(slots);
    const [newest] = slots.map(read).filter((slot) => slot !== null)
      .sort((a, b) => b.generation - a.generation);
    if (newest) {
      map.#generation = newest.generation;
      map.#names = new Map(Object.entries(newest.names));
    }
    return map;
  }

  /** @param {string} file whether this is one of our own records */
  static owns(file) {
    return SLOTS.includes(file);
  }

  /** @param {string} name */
  has(name) {
    return this.#names.has(name);
  }

  /** @param {string} file @returns {string | undefined} the name that was given to a stored file */
  nameOf(file) {
    for (const [name, stored] of this.#names) if (stored === file) return name;
    return undefined;
  }

  /**
   * Apply changes durably, all or none; `null` forgets a name.
   * @param {Record<string, string | null>} changes
   */
  commit(changes) {
    const names = new Map(this.#names);
    for (const [name, file] of Object.entries(changes)) {
      if (file === null) names.delete(name);
      else names.set(name, file);
    }
    const generation = this.#generation + 1;
    write(this.slots[generation % 2], { generation, names: Object.fromEntries(names) });
    this.#generation = generation;
    this.#names = names;
  }

  close() {
    for (const slot of this.slots) slot.close();
  }
}

/**
 * All handles or none: one left open by a failed attempt would lock out the next attempt for good (an
 * engine that was just closed lets go of its files one by one).
 * @param {Promise<FileSystemSyncAccessHandle>[]} opening
 */
async function openAll(opening) {
  const outcomes = await Promise.allSettled(opening);
  const open = outcomes.flatMap((o) => (o.status === "fulfilled" ? [o.value] : []));
  const failed = outcomes.find((o) => o.status === "rejected");
  if (!failed) return open;
  for (const handle of open) handle.close();
  throw /** @type {PromiseRejectedResult} */ (failed).reason;
}

/** @param {string} text FNV-1a */
function checksum(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** @param {FileSystemSyncAccessHandle} handle @returns {Slot | null} */
function read(handle) {
  const bytes = new Uint8Array(handle.getSize());
  handle.read(bytes, { at: 0 });
  const text = new TextDecoder().decode(bytes);
  const body = text.slice(9);
  if (text.slice(0, 8) !== checksum(body)) return null;
  return JSON.parse(body);
}

/** @param {FileSystemSyncAccessHandle} handle @param {Slot} slot */
function write(handle, slot) {
  const body = JSON.stringify(slot);
  handle.truncate(0);
  handle.write(new TextEncoder().encode(`${checksum(body)}\n${body}`), { at: 0 });
  handle.flush();
}
