// The generating worker: a causal language model by transformers.js, streamed, stopped within a token.
import { CairnError } from "./errors.mjs";
import { oneAtATime } from "./one-at-a-time.mjs";
import { readInPieces, Stopped } from "./prefill.mjs";
import { endWhenLost, prepare } from "./runtime.mjs";
import { infer, serve } from "./serve.mjs";
import { TokenText } from "./token-text.mjs";

const MAX_NEW_TOKENS = 512;
const SAMPLING = new Set(["temperature", "top_p", "top_k", "repetition_penalty", "no_repeat_ngram_size"]);

/** @type {{library: any, tokenizer: any, model: any} | null} */
let loaded = null;
/** @type {AbortSignal | null} of the generation under way */
let current = null;
const exclusively = oneAtATime();

/** @param {import("./runtime.mjs").Load} params @param {AbortSignal} signal */
async function load(params, signal) {
  await dispose();
  const library = await prepare(params, progress, signal);
  progress("start", 0, 2);
  const tokenizer = await library.AutoTokenizer.from_pretrained(params.model);
  progress("start", 1, 2);
  const { device, dtype } = params;
  const model = await library.AutoModelForCausalLM.from_pretrained(params.model, { device, dtype });
  progress("start", 2, 2);
  void endWhenLost(library, device);
  readInPieces(model, () => current?.aborted ?? false);
  loaded = { library, tokenizer, model };
  return {};
}

function ready() {
  if (!loaded) throw new CairnError("not_ready", "No answering model is loaded.");
  return loaded;
}

/** @param {{texts: string[]}} params */
function countTokens({ texts }) {
  const { tokenizer } = ready();
  const count = (/** @type {string} */ text) => tokenizer.encode(text, { add_special_tokens: false }).length;
  return { counts: texts.map(count) };
}

/**
 * @param {{messages: object[], max_new_tokens?: number, sampling?: Record<string, number>}} params
 * @param {AbortSignal} signal
 * @param {number | string} request
 */
function run({ messages, max_new_tokens: limit = MAX_NEW_TOKENS, sampling = {} }, signal, request) {
  return exclusively(() => infer(signal, async () => {
    const { library, tokenizer, model } = ready();
    const began = performance.now();
    const inputs = tokenizer.apply_chat_template(messages, { add_generation_prompt: true, return_dict: true });
    const prompt = inputs.input_ids.dims[1];
    const room = model.config.max_position_embeddings ?? Infinity;
    if (prompt + limit > room) {
      throw new CairnError("invalid_request", `A prompt of ${prompt} tokens leaves no room for ${limit} more.`);
    }
    const streamer = new TokenText(tokenizer, (text, tokens) =>
      server.notify("generate.delta", { request, text, tokens }));
    const stopper = new library.InterruptableStoppingCriteria();
    signal.addEventListener("abort", () => stopper.interrupt());
    if (signal.aborted) stopper.interrupt();
    current = signal;
    try {
      const options = { ...inputs, ...settings(sampling), max_new_tokens: limit };
      await model.generate({ ...options, streamer, stopping_criteria: stopper });
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    } finally {
      current = null;
    }
    return {
      text: streamer.text,
      tokens: streamer.count,
      prompt_tokens: prompt,
      first_token_ms: streamer.firstAt ? streamer.firstAt - began : 0,
      ms: performance.now() - began,
      finish: signal.aborted ? "stopped" : streamer.count >= limit && !ended(model, streamer.last) ? "length" : "stop",
    };
  }));
}

/** @param {Record<string, number>} sampling greedy unless there is a temperature */
function settings(sampling) {
  const known = Object.entries(sampling).filter(([name]) => SAMPLING.has(name));
  return { ...Object.fromEntries(known), do_sample: (sampling.temperature ?? 0) > 0 };
}

/** @param {any} model @param {bigint | undefined} token whether it ends a text */
function ended(model, token) {
  const ids = [model.generation_config?.eos_token_id ?? []].flat();
  return ids.some((/** @type {number} */ id) => BigInt(id) === token);
}

async function dispose() {
  const { model } = loaded ?? {};
  loaded = null;
  await model?.dispose();
  return {};
}

const server = serve({
  "generate.load": load,
  "generate.count_tokens": countTokens,
  "generate.run": run,
  "generate.dispose": dispose,
});

/** @type {import("./model-store.mjs").Progress} */
function progress(phase, done, total) {
  server.notify("generate.progress", { phase, done, total });
}
