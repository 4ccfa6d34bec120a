// Pyodide in a worker, started as the app starts it (without the snapshot), with the tests unpacked.
// Messages: {id, action, args}; replies: {id, result} or {id, error}. Id 0 tells of the start.
// {begins} names the inner test that is about to run.
import { FilesHost, ROOT } from "/workers/files-host.mjs";
import { IdbDirectory } from "/workers/idb-directory.mjs";
import { OpfsStore } from "/workers/opfs-store.mjs";
import { startPyodide } from "/workers/pyodide-start.mjs";
import { VectorsHost } from "/workers/vectors-host.mjs";

/** @type {any} */
let inside;
/** @type {any} */
let python;

async function start() {
  const lock = await (await fetch("/python/pyodide-lock.json")).json();
  python = await startPyodide({ base: `${location.origin}/`, snapshot: null, lock });
  const tree = await (await fetch("/harness/tree.zip")).arrayBuffer();
  python.unpackArchive(tree, "wheel"); // into site-packages
  await python.loadPackage(["numpy", "mammoth", "cobble", "charset-normalizer"]);
  inside = python.pyimport("tests.pyodide.inside");
  return python.version;
}

/** @param {string} test */
const begins = (test) => postMessage({ begins: test });

/** @param {string} name */
const runModule = (name) => inside.run_module.callPromising(name, begins); // asyncio.run needs JSPI

/** @type {Record<string, (name: string) => Promise<any>>} */
const places = {
  opfs: async (name) => {
    const root = await navigator.storage.getDirectory();
    return root.getDirectoryHandle(name, { create: true });
  },
  indexeddb: (name) => IdbDirectory.open(name),
};

/** @param {string} name each check has an empty directory of its own @param {string} place */
async function runCheck(name, place) {
  const directory = await places[place](`check-${name}`);
  /** @type {FilesHost | null} */
  let host = null;
  const end = async () => {
    if (!host) return;
    await host.close();
    python.FS.unmount(ROOT);
  };
  const restart = async () => {
    await end();
    host = new FilesHost(python.FS, await OpfsStore.open(directory));
    return host;
  };
  try {
    return await inside.run_check(name, restart);
  } finally {
    await end();
  }
}

async function runAgreement() {
  const vectors = await VectorsHost.create(python.FS, new URL("/workers/vector-kernel.wasm", location.href));
  return inside.run_agreement(vectors);
}

/** Time keyword search over an index on OPFS. @param {string} url of the index */
async function measureSearch(url) {
  const root = await navigator.storage.getDirectory();
  const directory = await root.getDirectoryHandle("measure", { create: true });
  const host = new FilesHost(python.FS, await OpfsStore.open(directory));
  const path = await host.ensure("index.sqlite3");
  const stream = python.FS.open(path, "w");
  for await (const bytes of /** @type {any} */ ((await fetch(url)).body)) {
    python.FS.write(stream, bytes, 0, bytes.length);
  }
  python.FS.close(stream);
  return inside.measure_search(path);
}

const actions = { runModule, runCheck, runAgreement, measureSearch };

/** @param {number} id @param {Promise<unknown>} work */
async function reply(id, work) {
  try {
    postMessage({ id, result: await work });
  } catch (error) {
    postMessage({ id, error: String(/** @type {any} */ (error)?.stack ?? error) });
  }
}

addEventListener("message", ({ data: { id, action, args } }) => {
  void reply(id, actions[/** @type {keyof typeof actions} */ (action)](...args));
});
void reply(0, start());
