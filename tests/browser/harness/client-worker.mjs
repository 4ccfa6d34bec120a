// Python's WorkerClient over echo.mjs: {action: "run", args: [Python]} with `host` in its globals.
import { readBootRecord, readChecked, readSnapshot } from "/workers/boot-files.mjs";
import { installFiles, startPyodide } from "/workers/pyodide-start.mjs";
import { unzip } from "/workers/unzip.mjs";
import { WorkerLink } from "/workers/worker-link.mjs";

const base = `${location.origin}/`;
const record = await readBootRecord(base);
const snapshot = readSnapshot(record.snapshot, base);
const python = await startPyodide({ base, snapshot, lock: record.lock });
installFiles(python, await unzip(await readChecked(record.wheel, base)));
python.globals.set("host", {
  spawn: (role, ...callbacks) => new WorkerLink("/harness/echo.mjs", role, ...callbacks),
});

addEventListener("message", async ({ data: { id, args: [code] } }) => {
  try {
    postMessage({ id, result: await python.runPythonAsync(code) });
  } catch (error) {
    postMessage({ id, error: String(error) });
  }
});
postMessage({ id: 0, result: "ready" });
