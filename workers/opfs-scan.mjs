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
  const files = [];
  for await (const [file, { kind }] of directory.entries()) {
    if (kind === "file" && !NameMap.owns(file)) files.push(file);
  }
  const sizes = await Promise.all(files.map((file) => storedSize(directory, file)));
  const stored = new Map();
  for (const [index, file] of files.entries()) {
    const given = names.nameOf(file);
    const name = given ?? decodeURIComponent(file);
    const spare = SparePool.owns(file);
    const empty = sizes[index] === 0;
    // Emptied by unlink, or replaced by a rename whose clean-up a crash prevented.
    const leftover = !given && (names.has(name) || spare || empty);
    if (!leftover) stored.set(name, file);
    else if (!spare || !empty) await directory.removeEntry(file);
  }
  return stored;
}

/** @param {FileSystemDirectoryHandle} directory @param {string} file */
export async function storedSize(directory, file) {
  return (await (await directory.getFileHandle(file)).getFile()).size;
}
