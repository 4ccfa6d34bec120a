// The generating worker: a causal language model by transformers.js, streamed, stopped at any token.
import { CairnError } from "./errors.mjs";
import { oneAtATime } from "./one-at-a-time.mjs";
import { readInPieces, Stopped } from "./prefill.mjs";
import { start } from "./runtime.mjs";
import { infer, serve } from "./serve.mjs";
import { TokenText } from "./token-text.mjs";
import { Verbatim } from "./verbatim.mjs";

const MAX_NEW_TOKENS = 512;
const MOST_CHOICES = 4;
const SAMPLING = new Set(
  ["temperature", "top_p", "top_k", "repetition_penalty", "no_repeat_ngram_size"],
);

/** @type {{library: any, tokenizer: any, model: any} | null} */
let loaded = null;
/** @type {AbortSignal | null} of the generation under way */
let current = null;
const exclusively = oneAtATime();

/** @param {import("./runtime.mjs").Load} params @param {AbortSignal} signal */
async function load(params, signal) {
  await dispose();
  const started = await start("AutoModelForCausalLM", params, progress, signal);
  readInPieces(started.model, () => current?.aborted ?? false);
  loaded = started;
  return {};
}

function ready() {
  if (!loaded) throw new CairnError("not_ready", "No answering model is loaded.");
  return loaded;
}

/** @param {{texts: string[]}} params */
function countTokens({ texts }) {
  const { tokenizer } = ready();
  const options = { add_special_tokens: false };
  return { counts: texts.map((text) => tokenizer.encode(text, options).length) };
}

/**
 * @param {{messages: object[], max_new_tokens?: number, sampling?: Record<string, number>,
 *   choices?: string[]}} params
 * @param {AbortSignal} signal
 * @param {number | string} request
 */
function run(params, signal, request) {
  const { messages, max_new_tokens: limit = MAX_NEW_TOKENS, sampling = {}, choices } = params;
  return exclusively(() => infer(signal, async () => {
    const { library, tokenizer, model } = ready();
    const began = performance.now();
    const asked = { add_generation_prompt: true, return_dict: true };
    const inputs = tokenizer.apply_chat_template(messages, asked);
    const prompt = inputs.input_ids.dims[1];
    const room = model.config.max_position_embeddings ?? Infinity;
    if (prompt + limit > room) {
      const said = `A prompt of ${prompt} tokens leaves no room for ${limit} more.`;
      throw new CairnError("invalid_request", said);
    }
    const streamer = new TokenText(tokenizer, (text, tokens) =>
      server.notify("generate.delta", { request, text, tokens }));
    const stopper = new library.InterruptableStoppingCriteria();
    signal.addEventListener("abort", () => stopper.interrupt());
    if (signal.aborted) stopper.interrupt();
    current = signal;
    try {
      const options = { ...inputs, ...settings(sampling), max_new_tokens: limit };
      if (choices) {
        const allowed = new Verbatim(tokenizer, choices, MOST_CHOICES, ends(model)[0]);
        options.logits_processor = [allowed.process.bind(allowed)];
      }
      await model.generate({ ...options, streamer, stopping_criteria: stopper });
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    } finally {
      current = null;
    }
    const full = streamer.count >= limit && !ended(model, streamer.last);
    return {
      text: streamer.text,
      tokens: streamer.count,
      prompt_tokens: prompt,
      first_token_ms: streamer.firstAt ? streamer.firstAt - began : 0,
      ms: performance.now() - began,
      finish: signal.aborted ? "stopped" : full ? "length" : "stop",
    };
  }));
}

/** @param {Record<string, number>} sampling greedy unless there is a temperature */
function settings(sampling) {
  const known = Object.entries(sampling).filter(([name]) => SAMPLING.has(name));
  return { ...Object.fromEntries(known), do_sample: (sampling.temperature ?? 0) > 0 };
}

/** @param {any} model @returns {number[]} the tokens that end a text */
function ends(model) {
  return [model.generation_config?.eos_token_id ?? []].flat();
}

/** @param {any} model @param {bigint | undefined} token */
function ended(model, token) {
  return ends(model).some((id) => BigInt(id) === token);
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
