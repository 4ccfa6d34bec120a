// Reads a prompt in pieces instead of in one step that nothing can interrupt (a long prompt takes
// seconds on the CPU), and lets messages arrive before every token.
import { breathe } from "./serve.mjs";

/** Tokens read without a pause; each piece costs reading the weights once more. */
const PIECE = 384;

/** Thrown out of a generation that was stopped while it read its prompt. */
export class Stopped extends Error {}

/**
 * @param {any} model a causal language model of transformers.js; its `forward` is replaced
 * @param {() => boolean} stopped
 */
export function readInPieces(model, stopped) {
  const forward = model.forward.bind(model);
  const pause = async () => {
    await breathe();
    if (stopped()) throw new Stopped();
  };
  model.forward = async (/** @type {any} */ inputs) => {
    await pause();
    const { input_ids: ids, attention_mask: mask, past_key_values: cache } = inputs;
    const total = ids.dims[1];
    if (cache || total <= PIECE) return forward(inputs);
    let past = null;
    let at = 0;
    for (; total - at > PIECE; at += PIECE) {
      const piece = {
        ...inputs,
        input_ids: ids.slice(null, [at, at + PIECE]),
        attention_mask: mask.slice(null, [0, at + PIECE]),
        past_key_values: past,
      };
      past = cacheAfter(model, piece, await forward(piece));
      await pause();
    }
    const last = { ...inputs, input_ids: ids.slice(null, [at, total]), past_key_values: past };
    const outputs = await forward(last);
    await past.dispose(); // buffers on a graphics device; the outputs hold their own
    return outputs;
  };
}

/** @param {any} model @param {any} inputs @param {any} outputs */
function cacheAfter(model, inputs, outputs) {
  const next = model._update_model_kwargs_for_generation({
    generated_input_ids: [[0n]], outputs, model_inputs: { ...inputs }, is_encoder_decoder: false,
  });
  return next.past_key_values;
}
