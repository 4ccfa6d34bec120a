// Starting Pyodide: from the build's memory snapshot when it fits, plainly otherwise.
import { CairnError } from "./errors.mjs";

const START_MS = 120_000;

/**
 * @param {object} options
 * @param {string} options.base
 * @param {Promise<Uint8Array> | null} options.snapshot
 * @param {unknown} options.lock our pyodide-lock.json: hashes of the packages in /python/
 * @returns {Promise<any>} the Pyodide API
 */
export async function startPyodide({ base, snapshot, lock }) {
  const indexURL = new URL("vendor/pyodide/", base).href;
  const { loadPyodide } = await import(`${indexURL}pyodide.mjs`);
  const started = loadPyodide({
    indexURL,
    lockFileContents: lock,
    packageBaseUrl: new URL("python/", base).href,
    createPyodideModule: durable(`${indexURL}pyodide.asm.mjs`),
    stdout: (/** @type {string} */ line) => console.log(line),
    stderr: (/** @type {string} */ line) => console.warn(line),
    ...(snapshot ? { _loadSnapshot: snapshot } : {}),
  });
  // A WebAssembly module that fails to instantiate makes Pyodide wait for ever (it only warns).
  const late = Promise.withResolvers();
  const timer = setTimeout(() => late.reject(new CairnError(
    "timed_out", `Python did not start within ${START_MS / 1000} s.`, { hint: "Reload the page." },
  )), START_MS);
  try {
    const python = await Promise.race([started, late.promise]);
    delete python._api.config._loadSnapshot; // else its 31 MB are kept for ever
    return python;
  } finally {
    clearTimeout(timer);
  }
}

// Where `cairn` was when the snapshot imported it, else site-packages.
const PLACE = `
import importlib, site, sys
package = sys.modules.get("cairn")
place = package.__path__[0].rpartition("/")[0] if package else site.getsitepackages()[0]
`;

/**
 * Put our package's files where Python looks for them: a snapshot holds the modules that it
 * imported, not their files, and later imports need the files.
 * @param {any} python
 * @param {[path: string, bytes: Uint8Array][]} files
 */
export function installFiles(python, files) {
  const place = python.runPython(`${PLACE}\nplace`);
  for (const [path, bytes] of files) {
    const target = `${place}/${path}`;
    python.FS.mkdirTree(target.slice(0, target.lastIndexOf("/")));
    python.FS.writeFile(target, bytes);
  }
  python.runPython("importlib.invalidate_caches(); del package, place");
}

/**
 * Emscripten's fdatasync does nothing, and SQLite syncs with fdatasync: without this repair no
 * commit would ever reach flush() of its sync access handle.
 * @param {string} url of pyodide.asm.mjs
 */
function durable(url) {
  return async (/** @type {any} */ settings) => {
    const { default: createModule } = await import(url);
    const instantiate = settings.instantiateWasm;
    settings.instantiateWasm = (/** @type {any} */ imports, /** @type {any} */ done) => {
      imports.env.__syscall_fdatasync = (/** @type {number} */ fd) => {
        try {
          const stream = settings.FS.getStreamChecked(fd);
          stream.stream_ops.fsync?.(stream);
          return 0;
        } catch (error) {
          const { errno } = /** @type {{errno?: number}} */ (error);
          if (errno === undefined) throw error;
          return -errno;
        }
      };
      return instantiate(imports, done);
    };
    return createModule(settings);
  };
}
