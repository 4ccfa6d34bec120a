// Makes the memory snapshot that the engine worker starts from (0.4 s instead of 4 to 12).
//
//   node build/snapshot.mjs PYODIDE_FOLDER WHEEL OUTPUT MODULE …
//
// Modules of our own wheel that cannot be imported without numpy are refused: a snapshot cannot
// hold side modules. It holds memory and no files, so the worker unpacks the wheel again.
import nodeCrypto, { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const [folder, wheel, output, ...modules] = process.argv.slice(2);
if (!output) {
  console.error("usage: node build/snapshot.mjs PYODIDE_FOLDER WHEEL OUTPUT MODULE …");
  process.exit(2);
}

// The same input gives the same snapshot: clock and chance stand still while it is made. The worker
// renews what is frozen in it (the seed of `random`) when it starts.
const EPOCH = Date.UTC(2026, 0, 1);
Date.now = () => EPOCH;
performance.now = () => 0;
nodeCrypto.randomFillSync = (/** @type {Uint8Array} */ view) => view.fill(7);

const { loadPyodide } = await import(pathToFileURL(join(resolve(folder), "pyodide.mjs")).href);
const python = await loadPyodide({
  indexURL: `${resolve(folder)}/`,
  _makeSnapshot: true,
  // One seed for making and loading; the same input should also give the same snapshot.
  env: { HOME: "/home/pyodide", PYTHONHASHSEED: "0" },
});
const packages = python.runPython("import site; site.getsitepackages()[0]");
python.unpackArchive(new Uint8Array(await readFile(wheel)), "whl", { extractDir: packages });

const failed = [];
for (const name of modules) {
  const error = python.runPython(`
import importlib, sys
def _import(name):
    try:
        importlib.import_module(name)
    except Exception as error:
        return f"{name}: {type(error).__name__}: {error}"
    if "numpy" in sys.modules:
        return f"{name} imports numpy"
    return ""
_import(${JSON.stringify(name)})`);
  if (error) failed.push(error);
}
if (failed.length) {
  console.error(failed.join("\n"));
  process.exit(1);
}
// Directory listings that the import system remembers would hide the wheel unpacked at start.
python.runPython(`
del _import
importlib.invalidate_caches()
sys.path_importer_cache.clear()
del importlib, site, sys`);

const snapshot = python.makeMemorySnapshot();
const packed = gzipSync(snapshot, { level: 9 });
await writeFile(output, packed);
console.log(JSON.stringify({
  bytes: packed.length,
  rawBytes: snapshot.length,
  sha256: createHash("sha256").update(packed).digest("hex"),
  packages, // where the worker must unpack the wheel, as the imported modules remember it
}));
process.exit(0);
