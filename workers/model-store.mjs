// Model files on this device: fetched from our own origin, kept in the Cache API only when their
// hash is the promised one, and read by the model runtimes from there and from nowhere else.
import { sha256 } from "./hash.mjs";
import { CairnError } from "./errors.mjs";

/** @typedef {{url: string, path: string, bytes: number, sha256: string}} ModelFile */
/** @typedef {(phase: string, done: number, total: number) => void} Progress */

const CACHE = "cairn-models";
const HASH = "x-cairn-sha256";
const STALL_MS = 60_000;
const TELL_MS = 100;

/** The files of one model. */
export class ModelStore {
  /** @param {ModelFile[]} files */
  constructor(files) {
    this.files = files;
  }

  /**
   * Make every file present; what is there already is not asked for again.
   * @param {Progress} progress in bytes
   * @param {AbortSignal} signal
   */
  async ensure(progress, signal) {
    const cache = await caches.open(CACHE);
    const total = this.files.reduce((sum, file) => sum + file.bytes, 0);
    let before = 0;
    for (const file of this.files) {
      if (!(await isPresent(cache, file))) {
        const bytes = await download(file, signal, (done) => progress("fetch", before + done, total));
        await keep(cache, file, bytes);
      }
      before += file.bytes;
      progress("fetch", before, total);
    }
  }

  /** Forget kept files whose bytes are no longer the promised ones; the next `ensure` gets them anew. */
  async dropDamaged() {
    const cache = await caches.open(CACHE);
    for (const file of this.files) {
      const kept = await cache.match(file.url);
      const bytes = kept && new Uint8Array(await kept.arrayBuffer());
      if (bytes && (await sha256(bytes)) !== file.sha256) await cache.delete(file.url);
    }
  }

  /** What transformers.js takes as its cache. */
  asCustomCache() {
    return {
      /** @param {string | Request} key a path below /models/ */
      match: async (key) => {
        const { pathname } = new URL(typeof key === "string" ? key : key.url, location.origin);
        const file = this.files.find(({ url }) => new URL(url).pathname === pathname);
        return file ? (await caches.open(CACHE)).match(file.url) : undefined;
      },
      put: async () => {},
    };
  }
}

/** @param {Cache} cache @param {ModelFile} file */
async function isPresent(cache, file) {
  const found = await cache.match(file.url);
  return found?.headers.get(HASH) === file.sha256;
}

/** @param {Cache} cache @param {ModelFile} file @param {Uint8Array<ArrayBuffer>} bytes */
async function keep(cache, file, bytes) {
  if ((await sha256(bytes)) !== file.sha256) {
    throw new CairnError("pack_mismatch", `${file.path} is not the file that was promised.`, {
      hint: "Reload the page to get one consistent version.", retryable: true,
    });
  }
  const headers = { "content-length": String(bytes.length), [HASH]: file.sha256 };
  try {
    await cache.put(file.url, new Response(bytes, { headers }));
  } catch (error) {
    throw new CairnError("storage_full", `There is no space left to keep ${file.path}.`, {
      hint: "Free some space on this device, then try again.", retryable: true,
    });
  }
}

/**
 * @param {ModelFile} file
 * @param {AbortSignal} signal
 * @param {(done: number) => void} progress
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
async function download(file, signal, progress) {
  const stall = new AbortController();
  let timer = setTimeout(() => stall.abort(), STALL_MS);
  try {
    const either = AbortSignal.any([signal, stall.signal]);
    const response = await fetch(file.url, { signal: either, cache: "no-store" });
    if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
    const bytes = new Uint8Array(file.bytes);
    let done = 0;
    let told = 0;
    for (const reader = response.body.getReader(); ;) {
      const { value, done: ended } = await reader.read();
      if (ended) break;
      if (done + value.length > bytes.length) throw new Error("more bytes than promised");
      bytes.set(value, done);
      done += value.length;
      clearTimeout(timer);
      timer = setTimeout(() => stall.abort(), STALL_MS);
      if (performance.now() - told < TELL_MS) continue;
      told = performance.now();
      progress(done);
    }
    if (done < bytes.length) throw new Error(`only ${done} of ${bytes.length} bytes came`);
    return bytes;
  } catch (error) {
    if (signal.aborted) throw error;
    const why = stall.signal.aborted ? "it stopped arriving" : /** @type {Error} */ (error).message;
    throw new CairnError("download_failed", `${file.path} could not be fetched (${why}).`, {
      hint: "Check the connection, then try again.", retryable: true,
    });
  } finally {
    clearTimeout(timer);
  }
}
