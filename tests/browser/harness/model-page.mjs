// Drives a model worker as the engine does: start(role), request(method, params), stop(index).
import { probeDevice } from "/workers/device.mjs";
import { Client } from "/workers/rpc.mjs";
import { WorkerLink } from "/workers/worker-link.mjs";

const state = { notes: [], crashed: "", requests: [], device: null };
let link;
let client;

/** Parameters of a load, from the site's own catalogue or another. */
async function loadParams(role, device, catalogue = "/models.json") {
  const { models } = await (await fetch(catalogue)).json();
  const entry = models.find((model) => model.role === role);
  const { dtype, files } = entry.files[device];
  const base = new URL(`/models/${entry.id}/`, location.origin).href;
  const located = files.map((file) => ({ ...file, url: base + file.path }));
  const threads = (await probeDevice(true)).threads;
  return { model: entry.id, device, dtype, files: located, threads };
}

Object.assign(globalThis, {
  state,
  loadParams,
  probe: probeDevice,
  start(name) {
    const received = (message) => client.receive(message);
    const crashed = (reason) => {
      state.crashed = reason;
      client.fail(new Error(`crashed: ${reason}`));
    };
    link = new WorkerLink(`/workers/${name}.mjs`, name, received, crashed);
    client = new Client((message) => link.post(message));
    client.onnotification = (method, params) => state.notes.push({ method, params, at: performance.now() });
  },
  end: () => link.close(),
  terminate: () => link.worker.terminate(),
  async load(name, role, device, catalogue) {
    globalThis.start(name);
    const params = await loadParams(role, device, catalogue);
    const began = performance.now();
    const result = await client.request(`${name}.load`, params, { timeoutMs: 300_000 });
    return { ...result, ms: performance.now() - began };
  },
  async request(method, params, stopAfter) {
    const stop = new AbortController();
    const began = performance.now();
    state.notes.length = 0;
    let stoppedAt = 0;
    if (stopAfter !== undefined) setTimeout(() => { stoppedAt = performance.now(); stop.abort(); }, stopAfter);
    const result = await client.request(method, params, { timeoutMs: 300_000, signal: stop.signal });
    const ended = performance.now();
    const { vectors } = result;
    if (vectors) result.vectors = Array.from(new Float32Array(vectors));
    return { ...result, wall: ended - began, stop_ms: stoppedAt ? ended - stoppedAt : 0 };
  },
});
