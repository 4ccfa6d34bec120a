// What this device offers to models, asked once per engine: feature-detect, never sniff.

/**
 * @typedef {object} Device
 * @property {boolean} isolated shared memory, hence WASM threads
 * @property {number} threads how many WASM may use
 * @property {boolean} gpu a usable WebGPU adapter (software ones count only in tests)
 * @property {boolean} f16 the adapter has shader-f16
 * @property {boolean} software the adapter is a fallback adapter
 * @property {string} adapter vendor and architecture, for diagnostics
 * @property {boolean} jspi WebAssembly can suspend
 */

const MAX_THREADS = 4;
const ADAPTER_MS = 5_000;

/**
 * @param {boolean} allowSoftware count a software adapter as usable
 * @returns {Promise<Device>}
 */
export async function probeDevice(allowSoftware) {
  const isolated = globalThis.crossOriginIsolated === true;
  const adapter = await requestAdapter();
  const info = adapter?.info ?? {};
  const software = Boolean(info.isFallbackAdapter ?? adapter?.isFallbackAdapter);
  return Object.freeze({
    isolated,
    threads: isolated ? Math.max(1, Math.min(MAX_THREADS, navigator.hardwareConcurrency || 1)) : 1,
    gpu: Boolean(adapter) && (!software || allowSoftware),
    f16: adapter?.features.has("shader-f16") ?? false,
    software,
    adapter: [info.vendor, info.architecture].filter(Boolean).join(" "),
    jspi: "Suspending" in WebAssembly,
  });
}

/** @returns {Promise<any>} null when there is none, or when the driver does not answer */
async function requestAdapter() {
  const { gpu } = /** @type {any} */ (navigator);
  if (!gpu) return null;
  const late = new Promise((resolve) => setTimeout(resolve, ADAPTER_MS, null));
  return Promise.race([gpu.requestAdapter().catch(() => null), late]);
}
