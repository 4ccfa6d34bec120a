// The engine worker: starts Python over OPFS and connects pages to cairn.engine.
//
// The owning page sends {type: "boot", base, isolated, softgpu} and {type: "connect"}, each with a
// MessagePort: one page's connection, JSON-RPC text both ways; {type: "files"} on it hands over files
// that the person chose, and anything else ends it.
// {type: "close"} closes the databases and is answered with {type: "closed"}; the worker then ends.
// Named here although only deeper modules use them: all are fetched at once, not level by level.
import "./hash.mjs";
import "./idb-directory.mjs";
import "./opfs-fs.mjs";
import "./opfs-names.mjs";
import "./opfs-store.mjs";
import { readBootRecord, readChecked } from "./boot-files.mjs";
import { probeDevice } from "./device.mjs";
import { CairnError, encodeError } from "./errors.mjs";
import { FilesHost, openStore } from "./files-host.mjs";
import { hold } from "./lifeline.mjs";
import { PickedFiles } from "./picked-files.mjs";
import { installFiles } from "./pyodide-start.mjs";
import { startPython } from "./python-start.mjs";
import { Steps } from "./steps.mjs";
import { unzip } from "./unzip.mjs";
import { Vectors } from "./vectors.mjs";
import { vectorBytes, VectorsHost } from "./vectors-host.mjs";
import { WorkerLink } from "./worker-link.mjs";

/** @typedef {{base: string, isolated: boolean, softgpu?: boolean}} Boot */

/** @type {Map<MessagePort, any>} each page's port and its Python session (null until there is one) */
const pages = new Map();
/** @type {any} cairn.browser.boot.Booted, once Python runs */
let booted = null;
/** @type {FilesHost | null} */
let files = null;
const picked = new PickedFiles();
/** @type {string} why the engine failed, as a notification; "" while it has not */
let failure = "";

/** @param {string} text */
const broadcast = (text) => {
  for (const port of pages.keys()) port.postMessage(text);
};
const steps = new Steps(broadcast);

/** @param {MessagePort} port */
function connect(port) {
  pages.set(port, null);
  for (const text of steps.texts()) port.postMessage(text);
  if (failure) port.postMessage(failure);
  else if (booted) openSession(port);
}

/** @param {MessagePort} port requests that came earlier waited in it */
function openSession(port) {
  const session = booted.open_session((/** @type {string} */ text) => port.postMessage(text));
  pages.set(port, session);
  port.onmessage = ({ data }) => {
    if (typeof data === "string") session.receive(data);
    else if (data?.type === "files") picked.add(data.key, data.files, data.paths);
    else endSession(port);
  };
}

/** @param {MessagePort} port */
function endSession(port) {
  const session = pages.get(port);
  pages.delete(port);
  port.close();
  session?.close();
  session?.destroy();
}

/** @param {Boot} boot */
async function start(boot) {
  const device = probeDevice(boot.softgpu === true);
  const store = steps.run("opfs", "Opening storage", openStore);
  store.catch(() => {}); // awaited below, after Python's start
  const record = await readBootRecord(boot.base);
  const wheel = readChecked(record.wheel, boot.base).then(unzip);
  wheel.catch(() => {});
  const kernel = Vectors.create().catch((error) => {
    console.warn("Cairn: vectors are compared without the kernel.", error);
    return null;
  });
  const python = await startPython(boot.base, record, steps, store);
  await steps.run("wheel", "Unpacking Cairn", async () => installFiles(python, await wheel));
  files = new FilesHost(python.FS, await store);
  const vectors = await kernel;
  const host = {
    base: boot.base,
    build: record.build,
    root: "/cairn",
    files,
    picked,
    device: await device,
    timings: steps.timings(),
    vectors: vectors && new VectorsHost(python.FS, vectors),
    vectorBytes: vectorBytes(),
    step: steps.report.bind(steps),
    references: () => python._module._hiwire_num_refs(),
    loadNumpy: () => python.loadPackage("numpy"),
    loadReaders: () => python.loadPackage(["mammoth", "cobble", "charset-normalizer"]),
    loadStemmers: () => python.loadPackage("snowballstemmer"),
    spawn: (/** @type {string} */ role, /** @type {any[]} */ ...callbacks) => new WorkerLink(
      new URL(`workers/${role}.mjs`, boot.base).href, role, callbacks[0], callbacks[1],
    ),
  };
  const module = await steps.run(
    "cairn", "Starting Cairn", () => python.pyimport("cairn.browser.boot"),
  );
  booted = module.create(host);
  module.destroy();
  for (const port of pages.keys()) openSession(port);
  const error = await booted.start();
  if (error) throw CairnError.decode(JSON.parse(error));
}

/** @param {unknown} error */
function fail(error) {
  console.error("Cairn: the engine did not start.", error);
  const { code, message, data } = encodeError(error);
  const params = { code, message, hint: data?.hint ?? "" };
  failure = JSON.stringify({ jsonrpc: "2.0", method: "engine.failed", params });
  broadcast(failure);
}

async function close() {
  for (const port of [...pages.keys()]) endSession(port);
  await booted?.close();
  await files?.close();
  postMessage({ type: "closed" });
  globalThis.close();
}

addEventListener("message", ({ data, ports: [port] }) => {
  if (data.type === "connect") connect(port);
  else if (data.type === "close") void close();
  else if (data.type === "boot") {
    connect(port);
    // The owner watches this lock to learn of our end, so nothing is sent before it is held.
    const held = hold(self.name);
    void held.then(() => postMessage({ type: "alive" }));
    start(data).catch(fail);
  }
});
