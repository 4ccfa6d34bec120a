// Sign codes: which side of the mean a row lies on, one bit a dimension.
//
// Embeddings of one model share a strong common direction, so that signs about zero say little: of
// 2,200 E5 vectors the Hamming distance of plain signs needs 1,500 candidates for a recall@40 of
// .985, that of signs about the mean 600, and what is done here 200, in less time (`estimate` is a
// table look-up for 16 rows at once). A row is mean + rest; its cosine with a query q is
//
//   a * (row . mean) + (q - a * mean) . rest + constant,  a = q . mean / |mean|²
//
// The first part is kept as one byte a row ("along"), the rest as signs times a common length.

import { Query } from "./vector-query.mjs";

const SAMPLED = 2048;
const RUN = 32;

/** @typedef {import("./vector-set.mjs").VectorSet} VectorSet */

/** What the codes of a set mean. */
export class Mean {
  /**
   * @param {Float32Array} vector the mean of the rows at unit length
   * @param {number} unit length of a row's rest for one sign
   * @param {number} least of the share along the mean
   * @param {number} step of it, for one of 255
   */
  constructor(vector, unit, least, step) {
    this.vector = vector;
    this.query = new Query(vector);
    this.square = vector.reduce((sum, value) => sum + value * value, 0);
    this.unit = unit;
    this.least = least;
    this.step = step;
  }

  /** Write the codes of a block. @param {VectorSet} set @param {number} rows @param {number} first @param {number} count */
  encode(set, rows, first, count) {
    const { at, kernel, shape: { dimensions } } = set;
    const norms = at.norms + first * 4;
    set.f32(at.mean, dimensions).set(this.vector);
    kernel.signs(rows, norms, at.mean, at.codes + first * (dimensions / 8), count, dimensions);
    new Int16Array(set.memory.buffer, at.mean, dimensions).set(this.query.codes);
    kernel.scan(rows, norms, at.mean, at.scores, count, dimensions, 0);
    const along = new Uint8ClampedArray(set.memory.buffer, at.along + first, count);
    const scores = set.f32(at.scores, count);
    const { least, step, query } = this;
    for (let i = 0; i < count; i++) along[i] = (scores[i] * query.step - least) / step;
  }

  /**
   * What `estimate` needs of a query: its table, written to `table`, and the two factors.
   * @param {Query} query its length does not matter, so that it cannot overflow
   * @param {Uint8Array} table 16 for each four dimensions
   */
  prepare({ vector, length }, table) {
    const wanted = Float64Array.from(vector, (value) => value / length);
    let a = wanted.reduce((sum, value, j) => sum + value * this.vector[j], 0);
    if (this.square > 0) a /= this.square;
    const weights = wanted.map((value, j) => value - a * this.vector[j]);
    const halves = weights.length / 4;
    const spreads = new Float64Array(halves); // of each four dimensions
    weights.forEach((value, j) => (spreads[j >> 2] += Math.abs(value)));
    const most = Math.min(127, Math.floor(65535 / halves));
    const step = spreads.reduce((x, y) => Math.max(x, y), 0) / most || 1;
    for (let h = 0, j = 0; h < halves; h++, j += 4) {
      for (let bits = 0; bits < 16; bits++) {
        let sum = spreads[h];
        sum += bits & 1 ? weights[j] : -weights[j];
        sum += bits & 2 ? weights[j + 1] : -weights[j + 1];
        sum += bits & 4 ? weights[j + 2] : -weights[j + 2];
        sum += bits & 8 ? weights[j + 3] : -weights[j + 3];
        table[16 * h + bits] = Math.round(sum / 2 / step);
      }
    }
    return { scale: 2 * step * this.unit, weight: a * this.step };
  }
}

/** The mean of rows taken evenly from a set whose norms are loaded. @param {VectorSet} set */
export function sample(set) {
  const { rows, dimensions } = set.shape;
  const runs = Math.min(SAMPLED / RUN, Math.ceil(rows / RUN));
  /** @type {Float32Array[]} the sampled rows at unit length */
  const sampled = [];
  for (let run = 0; run < runs; run++) {
    const first = Math.floor((run * rows) / runs);
    const count = Math.min(RUN, rows - first);
    const values = new Int8Array(set.memory.buffer, set.fetch(first, count), count * dimensions);
    set.f32(set.at.norms + first * 4, count).forEach((norm, i) => {
      const row = values.subarray(i * dimensions, (i + 1) * dimensions);
      sampled.push(Float32Array.from(row, (value) => value / norm));
    });
  }
  return describe(sampled, dimensions);
}

/** @param {Float32Array[]} rows at unit length @param {number} dimensions */
function describe(rows, dimensions) {
  const mean = new Float32Array(dimensions);
  for (const row of rows) row.forEach((value, j) => (mean[j] += value / rows.length));
  let [squares, sizes, least, most] = [0, 0, Infinity, -Infinity];
  for (const row of rows) {
    let along = 0;
    row.forEach((value, j) => {
      along += value * mean[j];
      squares += (value - mean[j]) ** 2;
      sizes += Math.abs(value - mean[j]);
    });
    [least, most] = [Math.min(least, along), Math.max(most, along)];
  }
  if (!rows.length) [least, most] = [0, 0];
  if (![squares, sizes, least, most].every(Number.isFinite)) return new Mean(mean.fill(0), 1, 0, 1); // absurd norms
  const room = (most - least) / 8; // rows that were not sampled may lie a little outside
  return new Mean(mean, sizes ? squares / sizes : 1, least - room, (most - least + 2 * room) / 255 || 1);
}
