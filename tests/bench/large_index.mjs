// Ranking in an index of millions of documents, in Pyodide in Node, in milliseconds of CPU:
//   node large_index.mjs PYODIDE_FOLDER WHEEL… ARCHIVE
// Prints what large_index_inside.measure returns.
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const [folder, ...rest] = process.argv.slice(2);
const archive = resolve(rest.pop() ?? "");
const { loadPyodide } = await import(pathToFileURL(`${resolve(folder)}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: `${resolve(folder)}/` });
for (const [place, source] of [["/package", `${root}/pysrc`], ["/checkout", root], ["/archive", dirname(archive)]]) {
  python.FS.mkdir(place);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: source }, place);
}
python.runPython("import sys; sys.path[:0] = ['/package', '/checkout']; sys.dont_write_bytecode = True");
const { readFileSync } = await import("node:fs");
for (const wheel of rest) python.unpackArchive(new Uint8Array(readFileSync(wheel)), "whl");
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
const measure = python.pyimport("tests.bench.large_index_inside").measure;
console.log(measure(`/archive/${archive.split("/").pop()}`, cpu));
process.exit(0);
