// Keeps the whole app on the device and serves it from there, with the headers that isolate it.
//
// One file without imports, so that it also runs where service workers cannot be modules. An install
// is all or nothing: every file has the hash that /precache.json promises, or the old build stays.
// There is no skipWaiting by itself: two builds in one page would not fit together, so the person
// chooses when to switch.

const BUILD = "__BUILD_ID__"; // written by the build: a new build is a new service worker
const PREFIX = "cairn-shell-";
const SHELL = PREFIX + BUILD;
const LIST = "/precache.json";
const HASH = "x-cairn-sha256";
const AT_ONCE = 4;
const LOG = "cairn-log";
const REQUESTS = "/requests.json";
const MOST_LOGGED = 1_000;
const LOG_MS = 300;
const FRESH = "x-cairn-fresh"; // what is kept must not answer (fresh.html)

/** @typedef {{url: string, sha256: string, bytes: number}} Entry */
/** @typedef {{build: string, shell: Entry[], models?: Entry[]}} List */

const worker = /** @type {any} */ (globalThis);

/** @param {string} script what scripts may do besides coming from here */
const policy = (script) => [
  "default-src 'self'", `script-src 'self' ${script}`, "worker-src 'self' blob:", "style-src 'self'",
  "img-src 'self' data: blob:", "connect-src 'self' blob: data:", "object-src 'none'",
  "base-uri 'self'", "form-action 'self'", "frame-ancestors 'self'",
].join("; ");
// PyScript's bridge to MicroPython needs eval; pages that show imported text must not have it.
const APP_POLICY = policy("'unsafe-eval' 'wasm-unsafe-eval' blob:");
const READER_POLICY = policy("'wasm-unsafe-eval'");

/** @param {Response} response @param {string} path */
function secured(response, path) {
  if (response.type === "error" || response.type === "opaqueredirect") return response;
  const headers = new Headers(response.headers);
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Embedder-Policy", "require-corp");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "no-referrer");
  headers.set("Content-Security-Policy", path.startsWith("/reader/") ? READER_POLICY : APP_POLICY);
  const { status, statusText } = response;
  const empty = status === 204 || status === 304;
  return new Response(empty ? null : response.body, { status, statusText, headers });
}

/** @type {{at: number, url: string}[]} requests that are not in the log yet */
const unlogged = [];
let logging = Promise.resolve();

/** The one way to the network: every request is written down, for the person to see. */
const ask = (/** @type {Request | string} */ request, /** @type {RequestInit} */ options = {}) => {
  const url = new URL(typeof request === "string" ? request : request.url, location.origin).href;
  if (unlogged.push({ at: Date.now(), url }) === 1) logging = logging.then(writeLog).catch(() => {});
  return fetch(request, options);
};

async function writeLog() {
  await new Promise((resolve) => setTimeout(resolve, LOG_MS));
  const cache = await caches.open(LOG);
  const kept = await (await cache.match(REQUESTS))?.json();
  const entries = [...(kept ?? []), ...unlogged.splice(0)].slice(-MOST_LOGGED);
  await cache.put(REQUESTS, new Response(JSON.stringify(entries)));
}

/** @param {BufferSource} bytes */
async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {Entry} entry @returns {Promise<Response>} the promised bytes, or an error naming the file */
async function fetchChecked({ url, sha256: promised }) {
  const response = await ask(url, { cache: "no-cache" });
  if (!response.ok) throw new Error(`${url} is missing (status ${response.status}).`);
  const bytes = await response.arrayBuffer();
  const right = (await sha256(bytes)) === promised;
  if (!right) throw new Error(`${url} is not the file of build ${BUILD}.`);
  const type = response.headers.get("content-type") ?? "application/octet-stream";
  const length = String(bytes.byteLength);
  const headers = { "content-type": type, "content-length": length, [HASH]: promised };
  return new Response(bytes, { headers });
}

/** @param {Entry} entry @param {Cache[]} caches_ @returns {Promise<Response | undefined>} */
async function kept({ url, sha256: promised }, caches_) {
  for (const cache of caches_) {
    const found = await cache.match(url);
    if (found?.headers.get(HASH) === promised) return found;
  }
  return undefined;
}

async function install() {
  const response = await ask(LIST, { cache: "no-store" });
  const list = /** @type {List} */ (await response.clone().json());
  if (list.build !== BUILD) throw new Error(`${LIST} is of build ${list.build}, not ${BUILD}.`);
  const shell = await caches.open(SHELL); // what an interrupted install got is used again
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== SHELL);
  const older = await Promise.all(names.map((name) => caches.open(name)));
  const waiting = [...list.shell];
  const take = async () => {
    for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
      if (await kept(entry, [shell])) continue;
      const response = (await kept(entry, older)) ?? (await fetchChecked(entry));
      // Stored as it will be served: a browser keeps compiled code only for responses that come
      // from the cache untouched.
      await shell.put(entry.url, secured(response, entry.url));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  for (const entry of list.models ?? []) {
    const found = await kept(entry, older); // runtimes fetched on demand: see onDemand()
    if (found) await shell.put(entry.url, secured(found, entry.url));
  }
  await shell.put(LIST, secured(response, LIST));
  if (!worker.registration.active) return;
  const pages = await worker.clients.matchAll({ includeUncontrolled: true });
  for (const page of pages) page.postMessage({ type: "update-ready" });
}

async function activate() {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== SHELL) await caches.delete(name);
  }
  await worker.clients.claim();
}

/** Runtimes that only some devices need are kept from their first use on. @param {string} path */
async function onDemand(path) {
  const shell = await caches.open(SHELL);
  const list = /** @type {List | undefined} */ (await (await shell.match(LIST))?.json());
  const entry = list?.models?.find(({ url }) => url === path && url.startsWith("/vendor/"));
  if (!entry) return undefined;
  const response = secured(await fetchChecked(entry), path);
  await shell.put(path, response.clone());
  return response;
}

/** @param {Request} request @param {string} path */
async function answer(request, path) {
  if (request.headers.has(FRESH)) return ask(request);
  const shell = await caches.open(SHELL);
  const stored = (await shell.match(path)) ?? (await shell.match(`${path}.html`));
  const found = stored ?? (await onDemand(path));
  if (found) return found;
  try {
    return secured(await ask(request), path);
  } catch {
    const home = request.mode === "navigate" ? await shell.match("/") : undefined;
    return home ?? new Response("Offline, and not kept on this device.", { status: 504 });
  }
}

worker.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(install()));
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(activate()));
worker.addEventListener("message", (/** @type {any} */ { data }) => {
  if (data?.type === "apply-update") worker.skipWaiting();
});
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== location.origin) return;
  const path = pathname === "/index.html" ? "/" : pathname; // queries are the page's business
  event.respondWith(answer(event.request, path));
});
