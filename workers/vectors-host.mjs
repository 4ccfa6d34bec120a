// The vector kernel as pysrc/cairn/browser/kernel.py calls it: files by their path in Python.
import { VectorsInvalid } from "./vector-set.mjs";
import { Vectors } from "./vectors.mjs";

export class VectorsHost {
  /**
   * @param {any} FS Emscripten's
   * @param {Vectors} vectors
   */
  constructor(FS, vectors) {
    this.FS = FS;
    this.vectors = vectors;
  }

  /** @param {any} FS @param {string | URL | BufferSource} [wasm] as Vectors.create takes it */
  static async create(FS, wasm) {
    return new VectorsHost(FS, await Vectors.create(wasm));
  }

  /** "simd" or "scalar" */
  get kind() {
    return this.vectors.kind;
  }

  /**
   * @param {string} key
   * @param {string} path
   * @param {number} rows
   * @param {number} dimensions
   * @param {number} offset
   * @param {number} norms
   * @param {import("./vector-set.mjs").Keep} keep
   */
  load(key, path, rows, dimensions, offset, norms, keep) {
    return this.vectors.load(key, fileReader(this.FS, path), { rows, dimensions, offset, norms }, keep);
  }

  /** @param {string} key */
  unload(key) {
    this.vectors.unload(key);
  }

  /** @param {string} key @param {Float32Array} query @param {number} limit @param {Uint8Array} [allowed] */
  search(key, query, limit, allowed) {
    return this.vectors.search(key, query, limit, allowed);
  }
}

/**
 * Memory that vectors of all packs may take, 1/32 of the device's: 256 MiB of 8 GiB (the most that
 * browsers tell), which are 700,000 passages of E5-small.
 */
export function vectorBytes() {
  const { deviceMemory = 4 } = /** @type {any} */ (navigator);
  return (deviceMemory * 2 ** 30) / 32;
}

/**
 * Reads a file of an Emscripten file system (OPFS, a picked file, memory) straight to where it is wanted.
 * @param {any} FS
 * @param {string} path
 * @returns {import("./vector-set.mjs").Reader}
 */
export function fileReader(FS, path) {
  let stream = open(FS, path);
  return {
    read: (into, at) => FS.read(stream, into, 0, into.length, at),
    close() {
      if (stream) FS.close(stream);
      stream = null;
    },
  };
}

/** @param {any} FS @param {string} path */
function open(FS, path) {
  try {
    return FS.open(path, "r");
  } catch (error) {
    // Emscripten's errors are numbers without a message.
    throw new VectorsInvalid(`${path} cannot be opened (${/** @type {any} */ (error)?.errno ?? error}).`);
  }
}
