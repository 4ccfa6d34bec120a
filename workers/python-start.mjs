// Python by the fastest way that works: this device's copy of the snapshot, the build's, or none.
import { readSnapshot } from "./boot-files.mjs";
import { startPyodide } from "./pyodide-start.mjs";
import { SnapshotCache } from "./snapshot-cache.mjs";

const PATIENCE_MS = 200;

/**
 * @param {string} base
 * @param {import("./boot-files.mjs").BootRecord} record
 * @param {import("./steps.mjs").Steps} steps
 * @param {Promise<unknown>} storage being opened
 * @returns {Promise<any>} the Pyodide API
 */
export async function startPython(base, { lock, snapshot: file }, steps, storage) {
  const cache = new SnapshotCache(file.sha256);
  const unpack = async () => (await cache.read()) ?? cache.keepLater(await readSnapshot(file, base));
  const snapshot = steps.run("snapshot", "Unpacking Python", unpack);
  // Many short waits on storage against one long computation: let them go first, if they are quick.
  const quick = Promise.allSettled([storage, snapshot]);
  await Promise.race([quick, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
  const fromSnapshot = () => startPyodide({ base, snapshot, lock });
  try {
    return await steps.run("python", "Starting Python", fromSnapshot);
  } catch (error) {
    void cache.forget(); // whatever is wrong with it, the next start shall not meet it again
    const label = `Starting Python without its snapshot (${/** @type {Error} */ (error).message})`;
    return steps.run("python", label, () => startPyodide({ base, snapshot: null, lock }));
  }
}
