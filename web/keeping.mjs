// What the browser keeps for the app besides the library: its caches, the log of requests that the
// service worker writes, persistence; and removing all of it.

const MODELS = "cairn-models";
const SHELL = "cairn-shell-";
const LOG = "cairn-log";
const REQUESTS = "/requests.json";

/** @param {string} name @returns {Promise<number>} bytes, as the stored responses say */
async function cacheBytes(name) {
  const cache = await caches.open(name);
  const sizes = await Promise.all((await cache.keys()).map(async (request) => {
    const response = await cache.match(request);
    return Number(response?.headers.get("content-length") ?? 0);
  }));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** @returns {Promise<{models: number, app: number}>} bytes */
export async function keptInCaches() {
  const found = { models: 0, app: 0 };
  for (const name of await caches.keys()) {
    if (name === MODELS) found.models += await cacheBytes(name);
    else if (name.startsWith(SHELL)) found.app += await cacheBytes(name);
  }
  return found;
}

/** @returns {Promise<{when: string, url: string}[]>} requests that went to the network, oldest first */
export async function requests() {
  const kept = await (await caches.open(LOG)).match(REQUESTS);
  /** @type {{at: number, url: string}[]} */
  const entries = kept ? await kept.json() : [];
  const { lang } = document.documentElement;
  return entries.map(({ at, url }) => ({ when: new Date(at).toLocaleString(lang), url }));
}

export async function clearRequests() {
  await caches.delete(LOG);
}

/** @returns {Promise<boolean>} whether the browser promises to keep what is stored */
export async function persist() {
  return (await navigator.storage?.persist?.()) ?? false;
}

/** Forget the kept app, so that the next load comes from the server. The library stays. */
export async function forgetApp() {
  for (const registration of (await navigator.serviceWorker?.getRegistrations()) ?? []) {
    await registration.unregister();
  }
  for (const name of await caches.keys()) if (name.startsWith(SHELL)) await caches.delete(name);
}

/** Remove everything of this origin. The engine must have been closed. */
export async function eraseAll() {
  await forgetApp();
  for (const name of await caches.keys()) await caches.delete(name);
  const root = await navigator.storage?.getDirectory?.().catch(() => null);
  if (root) for await (const name of root.keys()) await root.removeEntry(name, { recursive: true });
  const databases = (await indexedDB.databases?.()) ?? [];
  await Promise.all(databases.map(({ name }) => name && new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = request.onerror = request.onblocked = resolve;
  })));
  localStorage.clear();
  sessionStorage.clear();
}
