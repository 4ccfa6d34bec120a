// A query as the kernel wants it, and the exact score.
//
// The kernel takes the query as int16 multiples of a step. For a row r of norm n the true score
// and the kernel's, both in steps, differ by at most |error| * |r| / n (Cauchy-Schwarz) plus the
// rounding of f32; so every row that belongs to the best k has a kernel score of at least the k-th
// best one less twice that. Those rows are scored again, exactly: the score is the correctly
// rounded sum of pysrc/cairn/index/vectors.py, so ids and order are the same in every engine.

/** Significant bits of one limb: a sum of 4,096 products of a limb and an int8 is exact in a double. */
const LIMB = 2 ** 24;

/** The correctly rounded sum of finite numbers, as Python's math.fsum. @param {ArrayLike<number>} terms */
export function fsum(terms) {
  /** @type {number[]} parts that do not overlap, growing */
  const parts = [];
  for (let i = 0; i < terms.length; i++) {
    let x = terms[i];
    let kept = 0;
    for (let j = 0; j < parts.length; j++) {
      const y = parts[j];
      const high = x + y;
      const low = Math.abs(x) < Math.abs(y) ? x - (high - y) : y - (high - x);
      if (low !== 0) parts[kept++] = low;
      x = high;
    }
    parts.length = kept;
    parts.push(x);
  }
  let high = parts.pop() ?? 0;
  for (let y = parts.pop(); y !== undefined; y = parts.pop()) {
    const x = high;
    high = x + y;
    const low = y - (high - x);
    if (low === 0) continue;
    // Half-way cases are decided by the sign of what remains.
    const rest = parts.pop() ?? 0;
    const doubled = low * 2;
    if (low * rest > 0 && high + doubled - high === doubled) high += doubled;
    break;
  }
  return high;
}

/** A query prepared for one search. */
export class Query {
  /** @param {Float32Array} vector */
  constructor(vector) {
    if (!vector.every(Number.isFinite)) throw new RangeError("The query has a value that is no number.");
    this.vector = vector;
    this.length = Math.sqrt(fsum(Float64Array.from(vector).map((value) => value * value)));
    const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const limit = Math.min(32767, Math.floor((2 ** 31 - 1) / (128 * Math.max(1, vector.length))));
    const step = largest / limit || 1;
    this.step = step;
    this.codes = Int16Array.from(vector, (value) => Math.round(value / step));
    this.limbs = split(vector, largest);
    let [wrong, size] = [0, 0];
    for (let j = 0; j < vector.length; j++) {
      wrong += (vector[j] / step - this.codes[j]) ** 2;
      size += this.codes[j] ** 2;
    }
    this.error = Math.sqrt(wrong);
    this.size = Math.sqrt(size);
  }

  /**
   * How far below the k-th best kernel score one of the best k can lie: twice the error of
   * quantisation, and what f32 and this computation round (below 1e-6 of the largest score).
   * @param {number} fit the largest |row| / norm of the file
   */
  margin(fit) {
    const margin = (2 * this.error + 2e-6 * this.size + 1e-6) * fit + 1e-44;
    return Math.min(3e38, margin);
  }

  /** The cosine with a row, correctly rounded. @param {Int8Array} row @param {number} norm */
  score(row, norm) {
    return fsum(this.limbs.map((limb) => limb.unit * dot(limb.values, row))) / (this.length * norm);
  }
}

/** Exact, so that two sums may run beside each other. @param {Float64Array} values @param {Int8Array} row */
function dot(values, row) {
  let [even, odd] = [0, 0];
  for (let j = 0; j < values.length; j += 2) {
    even += values[j] * row[j];
    odd += values[j + 1] * row[j + 1];
  }
  return even + odd;
}

/**
 * The vector as a sum of limbs, each integers below 2^24 times a power of two; most queries take two.
 * @param {Float32Array} vector
 * @param {number} largest
 */
function split(vector, largest) {
  const limbs = [];
  let rest = Float64Array.from(vector);
  for (let top = 2 ** (Math.floor(Math.log2(largest || 1)) + 2); rest.some((value) => value !== 0);) {
    const unit = (top /= LIMB);
    const values = rest.map((value) => Math.trunc(value / unit));
    rest = rest.map((value, j) => value - values[j] * unit);
    limbs.push({ unit, values });
  }
  return limbs;
}
