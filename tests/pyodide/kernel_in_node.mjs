// Pyodide in Node with the real kernel behind cairn.browser.kernel:
//   node kernel_in_node.mjs PYODIDE_FOLDER KERNEL.wasm
// Prints what kernel_inside.check returns.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { VectorsHost } from "../../workers/vectors-host.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const [folder, wasm] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${resolve(folder)}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: `${resolve(folder)}/` });
for (const [place, source] of [["/package", `${root}/pysrc`], ["/checkout", root]]) {
  python.FS.mkdir(place);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: source }, place);
}
python.runPython("import sys; sys.path[:0] = ['/package', '/checkout']; sys.dont_write_bytecode = True");
const host = await VectorsHost.create(python.FS, readFileSync(wasm));
const check = python.pyimport("tests.pyodide.kernel_inside").check;
console.log(check(host));
process.exit(0);
