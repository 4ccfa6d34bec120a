// What the person gives: files and folders, sorted by what takes them in.

/** @typedef {import("./file-handles.mjs").Handle} Handle */
/**
 * @typedef {object} Chosen a file, where it stood in what was given, and its handle where there is one
 * @property {File} file
 * @property {string} path relative: "notes/water/wells.md" of a folder, else the name alone
 * @property {Handle} [handle]
 */
/** @typedef {"archives" | "catalogues" | "packs" | "documents"} Kind */
/**
 * @typedef {{kind: Kind, method: string, chosen: Chosen[], collection?: string}} Parcel what goes into one
 * request; documents go to a collection, the first one without its id
 */

const ARCHIVE = /\.zim([a-z]{2})?$/i;
const ARCHIVE_PART = /^(.*\.zim)[a-z]{2}$/i;
const PACK = /\.zip$/i;
const CATALOGUE = /\.(xml|opds|atom)$/i;

/** What takes each kind in. */
const METHODS = {
  archives: "archives.add", catalogues: "archives.catalogue", packs: "packs.add", documents: "documents.add",
};
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
/** For the file picker, which also offers "all files". */
export const TYPES = [{
  description: "Packs and archives",
  accept: {
    "application/zip": [".zip"],
    "application/xml": [".xml", ".opds", ".atom"],
    "application/x-zim": [".zim", ...LETTERS.map((letter) => `.zima${letter}`)],
  },
}];

/** @param {string} name @returns {Kind} */
export function kindOf(name) {
  if (ARCHIVE.test(name)) return "archives";
  if (CATALOGUE.test(name)) return "catalogues";
  return PACK.test(name) ? "packs" : "documents";
}

/**
 * One parcel for each pack and each archive, the parts of a split one together, and one for all documents.
 * @param {Chosen[]} chosen
 * @param {Set<File>} [bundled] ZIPs that are no packs
 * @returns {Parcel[]}
 */
export function parcels(chosen, bundled = new Set()) {
  /** @type {Map<string, Parcel>} */
  const found = new Map();
  for (const [index, one] of chosen.entries()) {
    const kind = bundled.has(one.file) ? "documents" : kindOf(one.file.name);
    const stem = ARCHIVE_PART.exec(one.path)?.[1].toLowerCase();
    const key = stem ?? (kind === "documents" ? kind : `${index}`);
    const parcel = found.get(key) ?? { kind, method: METHODS[kind], chosen: [] };
    parcel.chosen.push(one);
    found.set(key, parcel);
  }
  return [...found.values()];
}

const END = 65_536;
/** The list of a ZIP's members stands at its end; a pack has its manifest among them. */
const MANIFEST = "manifest.json";

/**
 * A ZIP without a manifest is no pack but a bundle of the person's own documents.
 * @param {Chosen[]} chosen
 * @returns {Promise<Set<File>>} those among them
 */
export async function bundles(chosen) {
  const zips = chosen.map(({ file }) => file).filter((file) => kindOf(file.name) === "packs");
  const ends = await Promise.all(zips.map((file) => file.slice(-END).text().catch(() => MANIFEST)));
  return new Set(zips.filter((_, index) => !ends[index].includes(MANIFEST)));
}

/** @param {Chosen[]} chosen whatever they are called @param {string} collection @returns {Parcel} */
export function documents(chosen, collection) {
  return { kind: "documents", method: METHODS.documents, chosen, collection };
}

/** @param {Iterable<File>} files of an input or a remembered handle @returns {Chosen[]} */
export function plainly(files) {
  return [...files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
}
