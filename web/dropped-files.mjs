// The files of a drop, those of folders too, with their paths and (Chromium) their handles.

/** @typedef {import("./intake.mjs").Chosen} Chosen */

/**
 * To be called inside the drop event: the list of items is empty after it.
 * @param {DataTransfer} data
 * @returns {Promise<Chosen[]>}
 */
export async function droppedFiles(data) {
  const items = [...data.items].filter(({ kind }) => kind === "file");
  const entries = items.map((item) => item.webkitGetAsEntry?.() ?? null);
  const handles = items.map((item) => /** @type {any} */ (item).getAsFileSystemHandle?.());
  const plain = items.map((item) => item.getAsFile());
  const opened = await Promise.allSettled(handles);
  /** @type {Chosen[]} */
  const found = [];
  for (const [index, entry] of entries.entries()) {
    const outcome = opened[index];
    const handle = outcome.status === "fulfilled" ? outcome.value : undefined;
    const file = plain[index];
    if (handle) await collectHandles(handle, "", found);
    else if (entry) await collectEntries(entry, "", found);
    else if (file) found.push({ file, path: file.name });
  }
  return found;
}

/** @param {any} handle @param {string} folder @param {Chosen[]} found */
async function collectHandles(handle, folder, found) {
  const path = folder + handle.name;
  if (handle.kind === "file") found.push({ file: await handle.getFile(), path, handle });
  else for await (const child of handle.values()) await collectHandles(child, `${path}/`, found);
}

/** @param {any} entry FileSystemEntry @param {string} folder @param {Chosen[]} found */
async function collectEntries(entry, folder, found) {
  const path = folder + entry.name;
  if (entry.isFile) {
    /** @type {File} */
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    found.push({ file, path });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    // Answers in batches, an empty one at the end.
    /** @type {any[]} */
    const children = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!children.length) return;
    for (const child of children) await collectEntries(child, `${path}/`, found);
  }
}
