// globalThis.ask(messages, settings) resolves to what raw-worker.mjs measured.
const worker = new Worker("/bench/raw-worker.mjs", { type: "module" });
const reply = () => new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => (data.error ? reject(new Error(data.error)) : resolve(data));
  worker.onerror = (event) => reject(new Error(event.message));
});
globalThis.ready = reply();
globalThis.ask = (messages, settings) => {
  worker.postMessage({ messages, settings });
  return reply();
};
