// What the engine starts from, as /python/boot.json names it; every file is checked before use.
import { sha256 } from "./hash.mjs";
import { CairnError } from "./errors.mjs";

/** @typedef {{url: string, sha256: string, bytes?: number}} Checked */
/**
 * @typedef {object} BootRecord
 * @property {string} build
 * @property {Checked} wheel our Python package
 * @property {Checked} snapshot gzipped memory of a started Pyodide
 * @property {any} lock a pyodide-lock.json
 * @property {Checked} [numpy]
 */

const STALL_MS = 60_000;

/** @param {string} url @param {string} base */
const within = (url, base) => new URL(url.replace(/^\//, ""), base).href;

/** @param {string} url @returns {Promise<Response>} */
async function get(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(STALL_MS) }).catch((error) => {
    throw new CairnError("download_failed", `${url} could not be fetched (${error.name}).`, {
      hint: "Reload the page while the server can be reached.", retryable: true,
    });
  });
  if (response.ok) return response;
  throw new CairnError("download_failed", `${url} is missing (status ${response.status}).`, {
    hint: "Reload the page; if it stays, the site was not built completely.",
  });
}

/** @param {string} base @returns {Promise<BootRecord>} */
export async function readBootRecord(base) {
  return (await get(within("python/boot.json", base))).json();
}

/**
 * The whole file, only if it is the promised one.
 * @param {Checked} file
 * @param {string} base
 * @returns {Promise<ArrayBuffer>}
 */
export async function readChecked(file, base) {
  const bytes = await fetchBytes(file, base);
  await check(file, bytes);
  return bytes;
}

/** @param {Checked} file @param {string} base */
async function fetchBytes(file, base) {
  return (await get(within(file.url, base))).arrayBuffer();
}

/** @param {Checked} file @param {ArrayBuffer} bytes */
async function check(file, bytes) {
  if ((await sha256(bytes)) === file.sha256) return;
  throw new CairnError("pack_mismatch", `${file.url} is not the file this build was made with.`, {
    hint: "Reload the page to get one consistent version.", retryable: true,
  });
}

/**
 * The gzipped snapshot, unpacked while it is being checked.
 * @param {Checked} file
 * @param {string} base
 */
export async function readSnapshot(file, base) {
  const packed = await fetchBytes(file, base);
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const [bytes] = await Promise.all([new Response(unpacked).arrayBuffer(), check(file, packed)]);
  return new Uint8Array(bytes);
}
