// A worker with Pyodide over an OPFS directory, driven by tests: {id, action, args} → {id, result}.
import { readBootRecord, readChecked, readSnapshot } from "/workers/boot-files.mjs";
import { FilesHost, openStore } from "/workers/files-host.mjs";
import { installFiles, startPyodide } from "/workers/pyodide-start.mjs";
import { unzip } from "/workers/unzip.mjs";

const base = `${location.origin}/`;
const record = await readBootRecord(base);
const snapshot = readSnapshot(record.snapshot, base);
const python = await startPyodide({ base, snapshot, lock: record.lock });
installFiles(python, await unzip(await readChecked(record.wheel, base)));
const store = await openStore("harness"); // waits for a predecessor that was just terminated
const { directory } = store;
const host = new FilesHost(python.FS, store);

const handle = FileSystemSyncAccessHandle.prototype;
let flushes = 0;
const flush = handle.flush;
handle.flush = function () {
  flushes++;
  return flush.call(this);
};

const actions = {
  ensure: (...names) => Promise.all(names.map((name) => host.ensure(name))),
  slice: (name, offset, length, alias) => host.slice(name, offset, length, alias),
  rename: (from, to) => host.rename(from, to),
  remove: (name) => host.remove(name),
  list: () => host.list(""),
  flushes: () => flushes,
  stored: async () => {
    await host.store.settled();
    const files = [];
    for await (const [file] of directory.entries()) files.push(file);
    return files.sort();
  },
  // The next `count` calls of a handle's method fail as a browser would.
  fail: (method, name, count) => {
    const real = handle[method];
    let left = count;
    handle[method] = function (...args) {
      if (left-- > 0) throw new DOMException("no room", name);
      handle[method] = real;
      return real.apply(this, args);
    };
  },
  run: (code) => {
    const result = python.runPython(code);
    if (!result?.destroy) return result;
    result.destroy(); // Python objects cannot cross; tests return strings and numbers
    return null;
  },
  close: () => host.close(),
};

addEventListener("message", async ({ data: { id, action, args } }) => {
  try {
    postMessage({ id, result: (await actions[action](...args)) ?? null });
  } catch (error) {
    postMessage({ id, error: `${error.name}: ${error.message}` });
  }
});
postMessage({ id: 0, result: "ready" });
