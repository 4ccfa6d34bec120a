// Python by the fastest way that works: this device's copy of the snapshot, the build's, or none.
import { readSnapshot } from "./boot-files.mjs";
import { startPyodide } from "./pyodide-start.mjs";
import { SnapshotCache } from "./snapshot-cache.mjs";

/**
 * @param {string} base
 * @param {import("./boot-files.mjs").BootRecord} record
 * @param {import("./steps.mjs").Steps} steps
 * @returns {Promise<any>} the Pyodide API
 */
export async function startPython(base, { lock, snapshot: file }, steps) {
  const cache = new SnapshotCache(file.sha256);
  const unpack = async () => (await cache.read()) ?? cache.keepLater(await readSnapshot(file, base));
  const snapshot = steps.run("snapshot", "Unpacking Python", unpack);
  const fromSnapshot = () => startPyodide({ base, snapshot, lock });
  try {
    return await steps.run("python", "Starting Python", fromSnapshot);
  } catch (error) {
    void cache.forget(); // whatever is wrong with it, the next start shall not meet it again
    const label = `Starting Python without its snapshot (${/** @type {Error} */ (error).message})`;
    return steps.run("python", label, () => startPyodide({ base, snapshot: null, lock }));
  }
}
