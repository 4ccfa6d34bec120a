// One vector file in a WebAssembly memory of its own: forgetting the set gives all of it back.
// Bytes go from the file straight into that memory, never through Python's.
//
// Kept of each row: its norm (4 bytes) always; its int8 values ("rows"), a sign code of one bit a
// dimension and its share along the mean (dims/8 + 1 bytes, "codes"), or both. Values that are not
// kept are read from the file when they are needed.

import { sample } from "./vector-mean.mjs";
import { Query } from "./vector-query.mjs";

/** Rows handled at once; a multiple of 16. */
export const BLOCK = 4096;
const PAGE = 65536;
const MOST_PAGES = 65535;

/** @typedef {import("./vector-kernel-scalar.mjs").Kernel} Kernel */
/** @typedef {"rows" | "codes" | "both"} Keep */
/** @typedef {{ rows: number, dimensions: number, offset: number, norms: number }} Shape where what lies in the file */
/** @typedef {{ read: (into: Uint8Array, at: number) => number, close: () => void }} Reader */
/** @typedef {{ codes: number, table: number, allowed: number, best: number, heap: number, foundRows: number, foundScores: number }} Slot */

/** A vector file that cannot be used; the message says why. */
export class VectorsInvalid extends Error {
  name = "VectorsInvalid";
}

export class VectorSet {
  /** Largest |row| / norm; 1 but for rounding where a file follows its format. */
  fit = 0;
  /** @type {import("./vector-mean.mjs").Mean | null} */
  mean = null;
  /** @type {Slot[]} areas of searches that ended */
  #free = [];
  #slots = 0;
  #end = 0;

  /**
   * @param {(memory: WebAssembly.Memory) => Kernel} createKernel
   * @param {Reader} reader
   * @param {Shape} shape
   * @param {Keep} keep
   */
  constructor(createKernel, reader, shape, keep) {
    if (shape.dimensions % 16 || shape.dimensions < 16 || shape.dimensions > 4096) {
      throw new VectorsInvalid(`The kernel takes 16 to 4096 dimensions by sixteens, not ${shape.dimensions}.`);
    }
    this.reader = reader;
    this.shape = shape;
    this.keepsRows = keep !== "codes";
    this.keepsCodes = keep !== "rows";
    const { dimensions } = shape;
    const padded = roundUp(shape.rows);
    this.at = {
      rows: this.keepsRows ? this.#area(padded * dimensions) : -1,
      norms: this.#area(padded * 4),
      codes: this.keepsCodes ? this.#area(padded * (dimensions / 8)) : -1,
      along: this.keepsCodes ? this.#area(padded) : -1,
      mean: this.#area(dimensions * 4),
      block: this.#area(BLOCK * dimensions),
      blockNorms: this.#area(BLOCK * 4),
      list: this.#area(BLOCK * 4),
      scores: this.#area(BLOCK * 4),
    };
    if (this.#end > MOST_PAGES * PAGE) throw new RangeError("These vectors do not fit into one memory.");
    this.memory = new WebAssembly.Memory({ initial: Math.ceil(this.#end / PAGE) });
    this.kernel = createKernel(this.memory);
  }

  get bytes() {
    return this.memory.buffer.byteLength;
  }

  /** @param {number} at @param {number} length */
  u8(at, length) {
    return new Uint8Array(this.memory.buffer, at, length);
  }

  /** @param {number} at @param {number} length */
  f32(at, length) {
    return new Float32Array(this.memory.buffer, at, length);
  }

  /** Read everything that is kept; yields the number of rows done. @returns {Generator<number, void>} */
  *load() {
    const { rows, dimensions, norms: stored, offset } = this.shape;
    this.#read(this.at.norms, rows * 4, stored);
    if (!this.f32(this.at.norms, rows).every((norm) => norm > 0 && norm < Infinity)) {
      throw new VectorsInvalid("A norm of the vector file is zero, negative or not a number.");
    }
    if (this.keepsCodes) this.mean = sample(this);
    let fit = 0;
    for (let first = 0; first < rows; first += BLOCK) {
      const count = Math.min(BLOCK, rows - first);
      const at = this.keepsRows ? this.at.rows + first * dimensions : this.at.block;
      this.#read(at, count * dimensions, offset + first * dimensions);
      fit = Math.max(fit, this.kernel.fit(at, this.at.norms + first * 4, count, dimensions));
      this.mean?.encode(this, at, first, count);
      yield count;
    }
    this.fit = Math.sqrt(fit) * (1 + 1e-9);
    if (this.keepsRows) this.reader.close();
  }

  /** Where `count` rows (at most BLOCK) from `first` on lie, read if need be. @param {number} first @param {number} count */
  block(first, count) {
    const { dimensions } = this.shape;
    return this.keepsRows ? this.at.rows + first * dimensions : this.fetch(first, count);
  }

  /** Read `count` rows from `first` on into the block. @param {number} first @param {number} count */
  fetch(first, count) {
    const { dimensions, offset } = this.shape;
    this.#read(this.at.block, count * dimensions, offset + first * dimensions);
    return this.at.block;
  }

  /** Bring scattered rows (at most BLOCK) and their norms together. @param {Uint32Array} rows */
  gather(rows) {
    const { at, shape: { dimensions, offset } } = this;
    new Uint32Array(this.memory.buffer, at.list, rows.length).set(rows);
    if (this.keepsRows) {
      this.kernel.gather(at.list, rows.length, at.rows, at.norms, at.block, at.blockNorms, dimensions);
      return at.block;
    }
    const norms = this.f32(at.norms, this.shape.rows);
    this.f32(at.blockNorms, rows.length).forEach((_, i, gathered) => (gathered[i] = norms[rows[i]]));
    rows.forEach((row, i) => this.#read(at.block + i * dimensions, dimensions, offset + row * dimensions));
    return at.block;
  }

  /** Score one row exactly. @param {Query} query @param {number} row */
  score(query, row) {
    const at = this.block(row, 1);
    return query.score(
      new Int8Array(this.memory.buffer, at, this.shape.dimensions),
      this.f32(this.at.norms + row * 4, 1)[0],
    );
  }

  /** An area for one search; `release` it. @returns {Slot} */
  acquire() {
    const slot = this.#free.pop();
    if (slot) return slot;
    const { rows, dimensions } = this.shape;
    const padded = roundUp(rows);
    const fresh = {
      codes: this.#area(dimensions * 2),
      table: this.#area(dimensions * 4),
      allowed: this.#area(padded / 8),
      best: this.#area(32),
      heap: this.#area(padded * 4),
      foundRows: this.#area(padded * 4),
      foundScores: this.#area(padded * 4),
    };
    const missing = Math.ceil((this.#end - this.memory.buffer.byteLength) / PAGE);
    if (missing > 0) this.memory.grow(missing);
    return fresh;
  }

  /** @param {Slot} slot */
  release(slot) {
    this.#free.push(slot);
  }

  close() {
    this.reader.close();
  }

  /** @param {number} bytes */
  #area(bytes) {
    const at = this.#end;
    this.#end += roundUp(bytes);
    return at;
  }

  /** @param {number} to @param {number} length @param {number} at */
  #read(to, length, at) {
    for (let done = 0; done < length;) {
      const got = this.reader.read(this.u8(to + done, length - done), at + done);
      if (!(got > 0)) throw new VectorsInvalid("The vector file ends early.");
      done += got;
    }
  }
}

/** To the next multiple of 16, also above 2^31. @param {number} value */
function roundUp(value) {
  return Math.ceil(value / 16) * 16;
}
