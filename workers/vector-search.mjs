// One search over a vector set, in steps, so that whoever waits can be told to stop in between.
//
// Exact: every row is scored by the kernel, those that can be among the best (see vector-query.mjs)
// are scored again exactly. With codes: the best rows by their codes go through the same, so scores
// are exact and only a row whose code misleads can be missed.

import { Query } from "./vector-query.mjs";
import { BLOCK } from "./vector-set.mjs";

const LEAST = -3.4028234663852886e38; // the least finite f32
/** Exact scores computed before the next yield, about a millisecond's worth. */
const RESCORED = 512;

/** @typedef {{ rows: Uint32Array, scores: Float64Array }} Hits best first, ties by row */

/**
 * How many rows the codes let through. Measured for limit 40 and a recall of .99: 240 of 5,000, 350
 * of 20,000, 450 of 80,000 (E5 vectors, the larger sets mixed from neighbours); this is 500, 560, 790.
 * @param {number} rows
 * @param {number} limit
 */
export function candidateCount(rows, limit) {
  return Math.min(rows, 12 * limit + Math.ceil(rows / 256));
}

export class VectorSearch {
  /** @type {Hits} */
  #hits = { rows: new Uint32Array(0), scores: new Float64Array(0) };
  #work;

  /**
   * @param {import("./vector-set.mjs").VectorSet} set loaded
   * @param {Float32Array} vector
   * @param {number} limit
   * @param {{ allowed?: Uint8Array | null, exact?: boolean }} options `allowed`: a bitmap of rows, lowest bit first
   */
  constructor(set, vector, limit, { allowed = null, exact = !set.keepsCodes } = {}) {
    const { rows, dimensions } = set.shape;
    if (vector.length !== dimensions) {
      throw new RangeError(`A query of ${vector.length} dimensions for ${dimensions}.`);
    }
    if (allowed && allowed.length < Math.ceil(rows / 8)) throw new RangeError("The filter is too short.");
    this.set = set;
    this.query = new Query(vector);
    this.limit = Math.min(limit, rows);
    const empty = this.limit <= 0 || this.query.length === 0;
    /** @type {import("./vector-set.mjs").Slot | null} ours until `close` */
    this.slot = empty ? null : set.acquire();
    this.#work = this.slot ? this.#run(this.slot, allowed, exact) : null;
  }

  /** Go on for about this many rows; true when done. @param {number} rows */
  step(rows = Infinity) {
    try {
      while (this.#work && rows > 0) {
        const { value, done } = this.#work.next();
        if (done) this.close();
        else rows -= value;
      }
    } catch (error) {
      this.close();
      throw error;
    }
    return this.#work === null;
  }

  /** The result, once `step` said true; nothing after an early `close`. */
  hits() {
    return this.#hits;
  }

  /** Stop here; harmless when done. */
  close() {
    this.#work = null;
    if (this.slot) this.set.release(this.slot);
    this.slot = null;
  }

  /**
   * @param {import("./vector-set.mjs").Slot} slot
   * @param {Uint8Array | null} allowed
   * @param {boolean} exact
   * @returns {Generator<number, void>}
   */
  *#run(slot, allowed, exact) {
    const { set } = this;
    const { rows, dimensions } = set.shape;
    if (allowed) set.u8(slot.allowed, Math.ceil(rows / 8)).set(allowed.subarray(0, Math.ceil(rows / 8)));
    new Int16Array(set.memory.buffer, slot.codes, dimensions).set(this.query.codes);
    const candidates = exact ? yield* this.#scanAll(slot, !!allowed) : yield* this.#scanCodes(slot, !!allowed);
    yield* this.#rank(candidates);
  }

  /** @param {import("./vector-set.mjs").Slot} slot @param {boolean} filtered @returns {Generator<number, Uint32Array>} */
  *#scanAll(slot, filtered) {
    const { kernel, at, shape: { rows, dimensions } } = this.set;
    this.#begin(slot, this.limit, this.query.margin(this.set.fit));
    for (let first = 0; first < rows; first += BLOCK) {
      const count = Math.min(BLOCK, rows - first);
      const allowed = filtered ? slot.allowed + first / 8 : 0;
      if (allowed && this.set.u8(allowed, Math.ceil(count / 8)).every((bits) => bits === 0)) continue;
      const block = this.set.block(first, count);
      kernel.scan(block, at.norms + first * 4, slot.codes, at.scores, count, dimensions, allowed);
      kernel.select(slot.best, at.scores, count, first);
      yield count;
    }
    return this.#found(slot);
  }

  /** @param {import("./vector-set.mjs").Slot} slot @param {boolean} filtered @returns {Generator<number, Uint32Array>} */
  *#scanCodes(slot, filtered) {
    const { kernel, at, mean, shape: { rows, dimensions } } = this.set;
    if (!mean) throw new Error("This set was loaded without codes.");
    const { scale, weight } = mean.prepare(this.query, this.set.u8(slot.table, dimensions * 4));
    const wanted = candidateCount(rows, this.limit);
    this.#begin(slot, wanted, 0);
    for (let first = 0; first < rows; first += BLOCK) {
      const count = Math.min(BLOCK, rows - first);
      const codes = at.codes + first * (dimensions / 8);
      const allowed = filtered ? slot.allowed + first / 8 : 0;
      kernel.estimate(codes, at.along + first, slot.table, at.scores, count, dimensions / 8, scale, weight, allowed);
      kernel.select(slot.best, at.scores, count, first);
      yield count;
    }
    const likely = this.#found(slot, wanted);
    this.#begin(slot, this.limit, this.query.margin(this.set.fit));
    for (let first = 0; first < likely.length; first += BLOCK) {
      const part = likely.subarray(first, first + BLOCK);
      kernel.scan(this.set.gather(part), at.blockNorms, slot.codes, at.scores, part.length, dimensions, 0);
      kernel.select(slot.best, at.scores, part.length, first);
      yield part.length;
    }
    return this.#found(slot).map((index) => likely[index]);
  }

  /** @param {import("./vector-set.mjs").Slot} slot @param {number} capacity @param {number} margin */
  #begin(slot, capacity, margin) {
    const words = [0, 0, capacity, 0, slot.heap, 0, slot.foundRows, slot.foundScores];
    new Uint32Array(this.set.memory.buffer, slot.best, 8).set(words);
    this.set.f32(slot.best, 2).set([LEAST, margin]);
  }

  /**
   * The rows that the final cutoff leaves, in order; of those exactly at it as many as make `most`.
   * @param {import("./vector-set.mjs").Slot} slot
   */
  #found(slot, most = Infinity) {
    const { memory } = this.set;
    const count = new Uint32Array(memory.buffer, slot.best, 8)[5];
    const [cutoff] = this.set.f32(slot.best, 1);
    const scores = this.set.f32(slot.foundScores, count);
    let spare = most - scores.reduce((better, score) => better + Number(score > cutoff), 0);
    return new Uint32Array(memory.buffer, slot.foundRows, count).filter(
      (_, i) => scores[i] > cutoff || (scores[i] === cutoff && spare-- > 0));
  }

  /** @param {Uint32Array} rows @returns {Generator<number, void>} */
  *#rank(rows) {
    const scores = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) {
      scores[i] = this.set.score(this.query, rows[i]);
      if (i % RESCORED === RESCORED - 1) yield BLOCK;
    }
    const order = Uint32Array.from(rows.keys()).sort((a, b) => scores[b] - scores[a] || rows[a] - rows[b]);
    const best = order.subarray(0, this.limit);
    this.#hits = {
      rows: Uint32Array.from(best, (i) => rows[i]),
      scores: Float64Array.from(best, (i) => scores[i]),
    };
  }
}
