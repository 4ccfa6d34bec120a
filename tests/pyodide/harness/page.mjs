// The page's end of worker.mjs: globalThis.call(action, ...args) resolves or rejects with the reply,
// globalThis.begun is the inner test that began last.
const worker = new Worker("worker.mjs", { type: "module" });
/** @type {Map<number, PromiseWithResolvers<unknown>>} */
const waiting = new Map();
let next = 0;

function expect() {
  const reply = Promise.withResolvers();
  waiting.set(next, reply);
  return [next++, reply.promise];
}

const [, started] = expect();
Object.assign(globalThis, {
  started,
  call: (/** @type {string} */ action, /** @type {unknown[]} */ ...args) => {
    const [id, reply] = expect();
    worker.postMessage({ id, action, args });
    return reply;
  },
});
worker.addEventListener("message", ({ data: { id, result, error, begins } }) => {
  if (begins) Object.assign(globalThis, { begun: begins });
  const reply = waiting.get(id);
  waiting.delete(id);
  if (error) reply?.reject(new Error(error));
  else reply?.resolve(result);
});
worker.addEventListener("error", (event) => {
  for (const reply of waiting.values()) reply.reject(new Error(`The worker failed: ${event.message}`));
});
