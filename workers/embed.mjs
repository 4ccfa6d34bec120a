// The embedding worker: E5 by transformers.js. One text per run, so that a vector never depends on
// its neighbours (and batches are no faster on a CPU).
import { CairnError } from "./errors.mjs";
import { start } from "./runtime.mjs";
import { Transferred } from "./rpc.mjs";
import { oneAtATime } from "./one-at-a-time.mjs";
import { breathe, infer, serve } from "./serve.mjs";

const MAX_TOKENS = 512;

/** @type {{tokenizer: any, model: any} | null} */
let loaded = null;
// Between two texts another request may go first: a query does not wait for a whole import.
const exclusively = oneAtATime();

/** @param {import("./runtime.mjs").Load} params @param {AbortSignal} signal */
async function load(params, signal) {
  await dispose();
  loaded = await start("AutoModel", params, progress, signal);
  return { dimensions: (await embed("query: ")).length };
}

/** @param {{texts: string[]}} params @param {AbortSignal} signal */
async function run({ texts }, signal) {
  if (!loaded) throw new CairnError("not_ready", "No embedding model is loaded.");
  const began = performance.now();
  /** @type {Float32Array[]} */
  const vectors = [];
  for (const text of texts) {
    await breathe();
    signal.throwIfAborted();
    vectors.push(await exclusively(() => infer(signal, () => embed(text))));
  }
  const dimensions = vectors[0]?.length ?? 0;
  const all = new Float32Array(dimensions * vectors.length);
  vectors.forEach((vector, index) => all.set(vector, index * dimensions));
  const result = { vectors: all.buffer, dimensions, ms: performance.now() - began };
  return new Transferred(result, [all.buffer]);
}

/**
 * @param {string} text with its prefix
 * @returns {Promise<Float32Array>} the mean of its tokens, of length 1
 */
async function embed(text) {
  const { tokenizer, model } = /** @type {{tokenizer: any, model: any}} */ (loaded);
  const inputs = await tokenizer(text, { truncation: true, max_length: MAX_TOKENS });
  const { last_hidden_state: { data, dims: [, tokens, dimensions] } } = await model(inputs);
  const vector = new Float32Array(dimensions);
  for (let at = 0; at < tokens * dimensions; at++) vector[at % dimensions] += data[at];
  const length = Math.hypot(...vector);
  return vector.map((x) => x / length);
}

async function dispose() {
  const { model } = loaded ?? {};
  loaded = null;
  await model?.dispose();
  return {};
}

const server = serve({
  "embed.load": load,
  "embed.run": run,
  "embed.dispose": dispose,
});

/** @type {import("./model-store.mjs").Progress} */
function progress(phase, done, total) {
  server.notify("embed.progress", { phase, done, total });
}
