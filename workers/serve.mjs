// What both model workers share: a JSON-RPC server on postMessage with a lifeline, and pauses in
// which messages (a stop!) can arrive.
import { CairnError } from "./errors.mjs";
import { hold } from "./lifeline.mjs";
import { Server } from "./rpc.mjs";

/**
 * Serve methods to the engine.
 * @param {Record<string, import("./rpc.mjs").Method>} methods
 * @returns {Server}
 */
export function serve(methods) {
  const server = new Server((message, transfer = []) => postMessage(message, { transfer }), methods);
  // The engine watches this lock from now on.
  const held = hold(self.name).then(() => postMessage({ type: "alive" }));
  addEventListener("message", ({ data }) => void held.then(() => server.receive(data)));
  return server;
}

const channel = new MessageChannel();
/** @type {(() => void)[]} */
const breathing = [];
channel.port1.onmessage = () => breathing.shift()?.();

/**
 * Let the event loop turn once. Inference on the CPU is synchronous inside, so without this no
 * message would be read before everything is done. (A timer would cost 4 ms, a message costs none.)
 * @returns {Promise<void>}
 */
export function breathe() {
  return new Promise((resolve) => {
    breathing.push(resolve);
    channel.port2.postMessage(null);
  });
}

/**
 * Run an inference; a fault in one leaves transformers.js unusable (its queue stays rejected), so
 * the worker ends after it has answered.
 * @template T
 * @param {AbortSignal} signal
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function infer(signal, work) {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted || error instanceof CairnError) throw error;
    const { name, message } = /** @type {Error} */ (error);
    setTimeout(() => close(), 100);
    throw new CairnError("worker_crashed", `The model failed (${name}: ${message}).`, {
      hint: "It is started again by itself.", retryable: true,
    });
  }
}
