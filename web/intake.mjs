// What the person gives: files and folders, sorted by what takes them in.

/** @typedef {import("./file-handles.mjs").Handle} Handle */
/**
 * @typedef {object} Chosen a file, where it stood in what was given, and its handle where there is one
 * @property {File} file
 * @property {string} path relative: "notes/water/wells.md" of a folder, else the name alone
 * @property {Handle} [handle]
 */
/** @typedef {"archives" | "catalogues" | "packs" | "documents"} Kind */
/** @typedef {{kind: Kind, method: string, chosen: Chosen[]}} Parcel what goes into one request */

const ARCHIVE = /\.zim([a-z]{2})?$/i;
const ARCHIVE_PART = /^(.*\.zim)[a-z]{2}$/i;
const PACK = /\.zip$/i;
const CATALOGUE = /\.(xml|opds|atom)$/i;

/** What takes each kind in. Nothing takes documents yet: as archives they are refused, each by name. */
const METHODS = { archives: "archives.add", catalogues: "archives.catalogue", packs: "packs.add", documents: "archives.add" };
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
 * One parcel for each pack, each other file and each archive, the parts of a split one together.
 * @param {Chosen[]} chosen
 * @returns {Parcel[]}
 */
export function parcels(chosen) {
  /** @type {Map<string, Parcel>} */
  const found = new Map();
  for (const [index, one] of chosen.entries()) {
    const kind = kindOf(one.file.name);
    const stem = ARCHIVE_PART.exec(one.path)?.[1].toLowerCase();
    const key = stem ?? `${index}`;
    const parcel = found.get(key) ?? { kind, method: METHODS[kind], chosen: [] };
    parcel.chosen.push(one);
    found.set(key, parcel);
  }
  return [...found.values()];
}

/** @param {Iterable<File>} files of an input or a remembered handle @returns {Chosen[]} */
export function plainly(files) {
  return [...files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
}
