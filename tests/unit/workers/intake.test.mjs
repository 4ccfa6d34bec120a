// Run by test_intake.py: what web/intake.mjs and web/dropped-files.mjs make of names and of drops.
import { droppedFiles } from "../../../web/dropped-files.mjs";
import { parcels } from "../../../web/intake.mjs";

const [, , input] = process.argv;
const { names, tree, handles } = JSON.parse(input);

/** @param {string} path */
const chosen = (path) => ({ file: new File(["x"], path.split("/").at(-1) ?? ""), path });

/** A folder as drops give it, in batches of two. @param {string} name @param {any} content */
function entry(name, content) {
  if (typeof content === "string") {
    const file = new File([content], name);
    return { name, isFile: true, file: (/** @type {(file: File) => void} */ done) => done(file) };
  }
  const children = Object.entries(content).map(([child, inside]) => entry(child, inside));
  return {
    name, isFile: false,
    createReader: () => ({ readEntries: (/** @type {any} */ done) => done(children.splice(0, 2)) }),
  };
}

/** @param {string} name @param {any} content @returns {any} */
function handle(name, content) {
  if (typeof content === "string") {
    return { name, kind: "file", getFile: async () => new File([content], name) };
  }
  const children = Object.entries(content).map(([child, inside]) => handle(child, inside));
  return { name, kind: "directory", values: () => children };
}

const items = Object.entries(tree ?? {}).map(([name, content]) => ({
  kind: "file",
  webkitGetAsEntry: () => entry(name, content),
  getAsFile: () => new File([], name),
  ...(handles ? { getAsFileSystemHandle: async () => handle(name, content) } : {}),
}));
const dropped = tree ? await droppedFiles(/** @type {any} */ ({ items })) : [];
const found = parcels(dropped.length ? dropped : (names ?? []).map(chosen));
console.log(JSON.stringify(found.map(({ kind, method, chosen: group }) => ({
  kind, method, paths: group.map((one) => one.path), handles: group.filter((one) => one.handle).length,
}))));
