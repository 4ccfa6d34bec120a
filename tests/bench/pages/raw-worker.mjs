// transformers.js as its documentation has it: the same model, files, threads and settings as the app.
import {
  AutoModelForCausalLM, AutoTokenizer, TextStreamer, env,
} from "/vendor/transformers/transformers.min.js";

const MODEL = "smollm2-135m-instruct";
const ORT = new URL("/vendor/ort/ort-wasm-simd-threaded", location.origin).href;

Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, localModelPath: "/models/", useBrowserCache: false });
env.backends.onnx.wasm.wasmPaths = { mjs: `${ORT}.mjs`, wasm: `${ORT}.wasm` };
env.backends.onnx.wasm.numThreads = crossOriginIsolated ? Math.min(4, navigator.hardwareConcurrency) : 1;

const tokenizer = await AutoTokenizer.from_pretrained(MODEL);
const model = await AutoModelForCausalLM.from_pretrained(MODEL, { device: "wasm", dtype: "q8" });

addEventListener("message", async ({ data: { messages, settings } }) => {
  try {
    const began = performance.now();
    const inputs = tokenizer.apply_chat_template(messages, { add_generation_prompt: true, return_dict: true });
    let tokens = 0;
    let first = 0;
    let text = "";
    const streamer = new TextStreamer(tokenizer, {
      skip_prompt: true,
      skip_special_tokens: true,
      callback_function: (piece) => { text += piece; },
      token_callback_function: () => {
        tokens++;
        first ||= performance.now();
      },
    });
    await model.generate({ ...inputs, ...settings, streamer });
    const ended = performance.now();
    postMessage({ text, tokens, prompt: inputs.input_ids.dims[1], first: first - began, after: ended - first });
  } catch (error) {
    postMessage({ error: String(error) });
  }
});
postMessage({ threads: env.backends.onnx.wasm.numThreads });
