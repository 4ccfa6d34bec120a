// Copies the chosen file into the origin's storage as plainly as it can be done; tells the time.

const worker = new Worker(new URL("copy-worker.mjs", import.meta.url), { type: "module" });
globalThis.copied = new Promise((resolve) => {
  document.getElementById("file").addEventListener("change", (event) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.postMessage(event.target.files[0]);
  });
});
