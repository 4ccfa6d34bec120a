// A worker with Pyodide over an OPFS directory, driven by tests: {id, run: Python} or {id, js: name}.
import { createOpfsFs } from "/workers/opfs-fs.mjs";
import { OpfsStore } from "/workers/opfs-store.mjs";
import { startPyodide } from "/workers/pyodide-start.mjs";

const root = await navigator.storage.getDirectory();
const directory = await root.getDirectoryHandle("harness", { create: true });
const store = await OpfsStore.open(directory);
const lock = { info: { abi_version: "2026_0" }, packages: {} };
const python = await startPyodide({ base: `${location.origin}/`, snapshot: null, lock });
python.FS.mkdir("/cairn");
python.FS.mount(createOpfsFs(python.FS, store), {}, "/cairn");

let flushes = 0;
const flush = FileSystemSyncAccessHandle.prototype.flush;
FileSystemSyncAccessHandle.prototype.flush = function () {
  flushes++;
  return flush.call(this);
};

const actions = {
  ensure: (...names) => Promise.all(names.map((name) => store.ensure(name))),
  slice: (alias, name, offset, length) => store.slice(alias, name, offset, length),
  list: (prefix) => store.list(prefix),
  settled: () => store.settled(),
  stored: async () => {
    const files = [];
    for await (const [file] of directory.entries()) files.push(file);
    return files.sort();
  },
  flushes: () => flushes,
  fail: (method, name, count) => {
    const real = FileSystemSyncAccessHandle.prototype[method];
    let left = count;
    FileSystemSyncAccessHandle.prototype[method] = function (...args) {
      if (left-- > 0) throw new DOMException("no room", name);
      FileSystemSyncAccessHandle.prototype[method] = real;
      return real.apply(this, args);
    };
  },
  close: () => store.close(),
  run: (code) => {
    const result = python.runPython(code);
    if (!result?.destroy) return result;
    result.destroy(); // a Python object cannot cross; tests return strings and numbers
    return null;
  },
};

addEventListener("message", async ({ data: { id, action, args } }) => {
  try {
    postMessage({ id, result: (await actions[action](...args)) ?? null });
  } catch (error) {
    postMessage({ id, error: `${error.name}: ${error.message}` });
  }
});
postMessage({ id: 0, result: "ready" });
