// globalThis.done resolves to the milliseconds since navigation at which the worker was ready.
const worker = new Worker("/bench/bare-worker.mjs", { type: "module" });
globalThis.done = new Promise((resolve, reject) => {
  const seen = {};
  worker.onmessage = ({ data }) => {
    seen[data] = performance.now();
    if (data === "numpy") resolve(seen);
  };
  worker.onerror = (event) => reject(new Error(event.message));
});
