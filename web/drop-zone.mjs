// Files dropped anywhere on the page. A sheet over the page says so while they hover.

/** @typedef {import("./file-handles.mjs").Handle} Handle */

/** @param {DragEvent} event */
const hasFiles = ({ dataTransfer }) => dataTransfer?.types.includes("Files") ?? false;

/** @param {DataTransfer} data @returns {Promise<Handle[]>} of all files, or none (not Chromium) */
async function handlesOf(data) {
  // Asked at once: the list of items is empty after the event.
  const asked = [...data.items].filter((item) => item.kind === "file")
    .map((item) => /** @type {any} */ (item).getAsFileSystemHandle?.());
  const handles = await Promise.all(asked).catch(() => []);
  return handles.every((handle) => handle?.kind === "file") ? handles : [];
}

/** @param {(files: File[], handles: Handle[]) => void} dropped */
export function dropZone(dropped) {
  const root = document.documentElement;
  let depth = 0; // every element under the pointer sends its own enter and leave
  document.addEventListener("dragenter", (event) => {
    if (!hasFiles(event)) return;
    depth += 1;
    root.dataset.dropping = "yes";
  });
  document.addEventListener("dragleave", (event) => {
    if (hasFiles(event) && --depth <= 0) end();
  });
  document.addEventListener("dragover", (event) => {
    if (hasFiles(event)) event.preventDefault();
  });
  document.addEventListener("drop", async (event) => {
    if (!hasFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    end();
    const files = [...event.dataTransfer.files];
    const handles = await handlesOf(event.dataTransfer);
    if (files.length) dropped(files, handles.length === files.length ? handles : []);
  });

  function end() {
    depth = 0;
    delete root.dataset.dropping;
  }
}
