// transformers.js set up for one worker: our files only, the ONNX Runtime build that fits the device.
import { ModelStore } from "./model-store.mjs";
import { CairnError } from "./errors.mjs";

/**
 * @typedef {object} Load parameters of embed.load and generate.load (pysrc/cairn/protocol)
 * @property {string} model
 * @property {"webgpu" | "wasm"} device
 * @property {string} dtype
 * @property {import("./model-store.mjs").ModelFile[]} files
 * @property {number} [threads]
 */

const TRANSFORMERS = "/vendor/transformers/transformers.min.js";
const ORT = "/vendor/ort/ort-wasm-simd-threaded";
/** @type {string} the runtime is set up once per worker: another device needs another worker */
let settled = "";

/**
 * Fetch what is missing and configure the library.
 * @param {Load} load
 * @param {import("./model-store.mjs").Progress} progress
 * @param {AbortSignal} signal
 * @returns {Promise<any>} the transformers.js module
 */
async function prepare({ device, files, threads = 1 }, progress, signal) {
  if (settled && settled !== device) {
    throw new CairnError("model_unavailable", `This worker already runs on ${settled}.`);
  }
  settled = device;
  const store = new ModelStore(files);
  await store.ensure(progress, signal);
  const library = await import(TRANSFORMERS);
  const { env } = library;
  Object.assign(env, {
    allowRemoteModels: false,
    allowLocalModels: true,
    localModelPath: "/models/",
    useBrowserCache: false,
    useWasmCache: false,
    useCustomCache: true,
    customCache: store.asCustomCache(),
    // Optional files that a model does not list: absent, without asking anyone.
    fetch: async () => new Response(null, { status: 404 }),
  });
  const { wasm } = env.backends.onnx;
  const name = new URL(ORT + flavour(device), location.origin).href;
  wasm.wasmPaths = { mjs: `${name}.mjs`, wasm: `${name}.wasm` };
  wasm.numThreads = crossOriginIsolated ? threads : 1;
  return library;
}

/**
 * Start a model and its tokenizer; where that fails its files are hashed again, so that a damaged one
 * is fetched anew the next time (good ones stay: the network may be gone).
 * @param {string} kind class of transformers.js
 * @param {Load} load
 * @param {import("./model-store.mjs").Progress} progress
 * @param {AbortSignal} signal
 * @returns {Promise<{library: any, tokenizer: any, model: any}>}
 */
export async function start(kind, load, progress, signal) {
  const library = await prepare(load, progress, signal);
  const { model: id, device, dtype, files } = load;
  progress("start", 0, 2);
  try {
    const tokenizer = await library.AutoTokenizer.from_pretrained(id);
    progress("start", 1, 2);
    const model = await library[kind].from_pretrained(id, { device, dtype });
    progress("start", 2, 2);
    void endWhenLost(library, device);
    return { library, tokenizer, model };
  } catch (error) {
    await new ModelStore(files).dropDamaged();
    throw error;
  }
}

/**
 * The plain build is the fastest on the CPU and has no WebGPU; of those that have it, jspi is half
 * the size of asyncify and needs WebAssembly that can suspend.
 * @param {string} device
 */
function flavour(device) {
  if (device === "wasm") return "";
  return "Suspending" in WebAssembly ? ".jspi" : ".asyncify";
}

/**
 * A lost graphics device cannot be used again: end the worker, which its client notices.
 * @param {any} library
 * @param {string} device
 */
async function endWhenLost(library, device) {
  if (device !== "webgpu") return;
  const gpu = await library.env.backends.onnx.webgpu?.device;
  gpu?.lost.then((/** @type {{message: string}} */ { message }) => {
    setTimeout(() => { throw new Error(`the graphics device was lost: ${message}`); });
  });
}
