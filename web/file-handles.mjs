// Handles of chosen files, remembered in IndexedDB where the browser has them (Chromium), so that an
// archive that lies outside of Cairn is opened again with one click, or with none.

const DATABASE = "cairn-files";
const STORE = "handles";

/**
 * @typedef {FileSystemFileHandle & {
 *   queryPermission?: (options: {mode: string}) => Promise<PermissionState>,
 *   requestPermission?: (options: {mode: string}) => Promise<PermissionState>,
 * }} Handle
 */

/** @returns {Promise<IDBDatabase>} */
function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} work
 * @returns {Promise<T>}
 */
async function run(mode, work) {
  const database = await open();
  try {
    const request = work(database.transaction(STORE, mode).objectStore(STORE));
    return await new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  } finally {
    database.close();
  }
}

/** @param {string} key @param {Handle[]} handles */
export async function remember(key, handles) {
  if (handles.length && globalThis.indexedDB) await run("readwrite", (store) => store.put(handles, key));
}

/** @param {string} key @returns {Promise<Handle[]>} [] when there are none */
export async function remembered(key) {
  if (!globalThis.indexedDB) return [];
  return (await run("readonly", (store) => store.get(key))) ?? [];
}

/** @param {string} key */
export async function forget(key) {
  if (globalThis.indexedDB) await run("readwrite", (store) => store.delete(key));
}

/** Forget all keys but these. @param {Set<string>} wanted */
export async function keepOnly(wanted) {
  if (!globalThis.indexedDB) return;
  for (const key of await run("readonly", (store) => store.getAllKeys())) {
    if (!wanted.has(String(key))) await forget(String(key));
  }
}

/**
 * The files of remembered handles.
 * @param {string} key
 * @param {boolean} ask whether the person may be asked, which needs their click
 * @returns {Promise<File[]>} [] when there are none or access is refused
 */
export async function reopen(key, ask) {
  const files = [];
  for (const handle of await remembered(key)) {
    let state = await handle.queryPermission?.({ mode: "read" });
    if (state === "prompt" && ask) state = await handle.requestPermission?.({ mode: "read" });
    if (state !== "granted") return [];
    files.push(await handle.getFile());
  }
  return files;
}
