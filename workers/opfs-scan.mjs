// What lies in the directory when the engine starts: names, and leftovers that are cleared away.

import { NameMap } from "./opfs-names.mjs";
import { SparePool } from "./opfs-spares.mjs";

/** @param {string} name @returns {string} the stored file of a name that was never renamed */
export const encode = (name) => encodeURIComponent(name);

/**
 * @param {FileSystemDirectoryHandle} directory
 * @param {NameMap} names
 * @returns {Promise<Map<string, string>>} name → stored file
 */
export async function scan(directory, names) {
  const stored = new Map();
  const leftovers = [];
  for await (const [file, handle] of directory.entries()) {
    if (handle.kind !== "file" || NameMap.owns(file)) continue;
    const given = names.nameOf(file);
    const name = given ?? decodeURIComponent(file);
    const empty = (await storedSize(directory, file)) === 0;
    if (SparePool.owns(file) && !given && empty) continue;
    // Emptied by unlink, or replaced by a rename whose clean-up a crash prevented.
    const left = !given && (names.has(name) || SparePool.owns(file) || empty);
    if (left) leftovers.push(file);
    else stored.set(name, file);
  }
  for (const file of leftovers) await directory.removeEntry(file);
  return stored;
}

/** @param {FileSystemDirectoryHandle} directory @param {string} file */
export async function storedSize(directory, file) {
  return (await (await directory.getFileHandle(file)).getFile()).size;
}
