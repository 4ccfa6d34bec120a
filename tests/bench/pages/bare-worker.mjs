// What everybody does: loadPyodide, import sqlite3, load and import numpy.
import { loadPyodide } from "/vendor/pyodide/pyodide.mjs";

const python = await loadPyodide({
  indexURL: "/vendor/pyodide/",
  lockFileURL: `${location.origin}/python/pyodide-lock.json`,
  packageBaseUrl: `${location.origin}/python/`,
});
python.pyimport("sqlite3");
postMessage("sqlite3");
await python.loadPackage("numpy");
python.pyimport("numpy");
postMessage("numpy");
