// Files dropped anywhere on the page. A sheet over the page says so while they hover.

import { droppedFiles } from "./dropped-files.mjs";

/** @param {DragEvent} event */
const hasFiles = ({ dataTransfer }) => dataTransfer?.types.includes("Files") ?? false;

/** @param {(chosen: import("./intake.mjs").Chosen[]) => void} dropped */
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
    const chosen = await droppedFiles(event.dataTransfer);
    if (chosen.length) dropped(chosen);
  });

  function end() {
    depth = 0;
    delete root.dataset.dropping;
  }
}
