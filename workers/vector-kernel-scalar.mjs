// The functions of vector-kernel.wat in plain JavaScript, for engines without SIMD and for tests:
// same memory, same arguments, the same bytes written. What each does is said there.

const LEAST = -3.4028234663852886e38; // the least finite f32
const { fround } = Math;

/**
 * @typedef {object} Kernel
 * @property {(rows: number, norms: number, query: number, scores: number, count: number, dims: number, allowed: number) => void} scan
 * @property {(best: number, scores: number, count: number, first: number) => void} select
 * @property {(list: number, count: number, rows: number, norms: number, to: number, lengths: number, dims: number) => void} gather
 * @property {(rows: number, norms: number, count: number, dims: number) => number} fit
 * @property {(rows: number, norms: number, mean: number, codes: number, count: number, dims: number) => void} signs
 * @property {(codes: number, along: number, table: number, scores: number, count: number, bytes: number, scale: number, weight: number, allowed: number) => void} estimate
 */

/** @param {WebAssembly.Memory} memory @returns {Kernel} */
export function scalarKernel(memory) {
  const u8 = () => new Uint8Array(memory.buffer);
  const i8 = () => new Int8Array(memory.buffer);
  /** @param {number} at */
  const i16 = (at) => new Int16Array(memory.buffer, at);
  /** @param {number} at */
  const f32 = (at) => new Float32Array(memory.buffer, at);
  /** @param {Uint8Array} bits @param {number} allowed @param {number} row */
  const isAllowed = (bits, allowed, row) => !allowed || (bits[allowed + (row >> 3)] >> (row & 7)) & 1;

  return {
    scan(rows, norms, query, scores, count, dims, allowed) {
      const [bits, values, wanted, lengths, out] = [u8(), i8(), i16(query), f32(norms), f32(scores)];
      for (let row = 0; row < count; row++) {
        if (!isAllowed(bits, allowed, row)) {
          out[row] = -Infinity;
          continue;
        }
        let sum = 0;
        for (let j = 0, at = rows + row * dims; j < dims; j++, at++) sum += values[at] * wanted[j];
        out[row] = Math.max(fround(-1e38), Math.min(fround(1e38), fround(fround(sum) / lengths[row])));
      }
    },

    select(best, scores, count, first) {
      const [state, bar, all] = [new Uint32Array(memory.buffer, best, 8), f32(best), f32(scores)];
      const heap = f32(state[4]);
      const [foundRows, foundScores] = [new Uint32Array(memory.buffer, state[6]), f32(state[7])];
      for (let i = 0; i < count; i++) {
        if (!(all[i] >= bar[0])) continue;
        foundRows[state[5]] = first + i;
        foundScores[state[5]++] = all[i];
        if (state[3] < state[2]) {
          moveUp(heap, state[3]++, all[i]);
          if (state[3] < state[2]) continue;
        } else {
          if (all[i] <= heap[0]) continue;
          moveDown(heap, state[3], all[i]);
        }
        bar[0] = Math.max(LEAST, fround(heap[0] - bar[1]));
      }
    },

    gather(list, count, rows, norms, to, lengths, dims) {
      const [all, stored, gathered] = [u8(), f32(norms), f32(lengths)];
      new Uint32Array(memory.buffer, list, count).forEach((row, i) => {
        gathered[i] = stored[row];
        all.copyWithin(to + i * dims, rows + row * dims, rows + (row + 1) * dims);
      });
    },

    fit(rows, norms, count, dims) {
      const [values, lengths] = [i8(), f32(norms)];
      let largest = 0;
      for (let row = 0, at = rows; row < count; row++) {
        let sum = 0;
        for (let j = 0; j < dims; j++, at++) sum += values[at] * values[at];
        largest = Math.max(largest, sum / (lengths[row] * lengths[row]));
      }
      return largest;
    },

    signs(rows, norms, mean, codes, count, dims) {
      const [out, values, lengths, means] = [u8(), i8(), f32(norms), f32(mean)];
      for (let row = 0; row < count; row++) {
        const code = codes + (row & -16) * (dims >> 3) + (row & 15);
        for (let byte = 0; byte < dims >> 3; byte++) {
          let bits = 0;
          for (let j = byte * 8 + 7; j >= byte * 8; j--) {
            bits = bits * 2 + Number(values[rows + row * dims + j] > fround(lengths[row] * means[j]));
          }
          out[code + byte * 16] = bits;
        }
      }
    },

    estimate(codes, along, table, scores, count, bytes, scale, weight, allowed) {
      const [all, out] = [u8(), f32(scores)];
      const [s, w] = [fround(scale), fround(weight)];
      for (let row = 0; row < count; row++) {
        if (!isAllowed(all, allowed, row)) {
          out[row] = -Infinity;
          continue;
        }
        const code = codes + (row & -16) * bytes + (row & 15);
        let sum = 0;
        for (let byte = 0, place = table; byte < bytes; byte++, place += 32) {
          const value = all[code + byte * 16];
          sum += all[place + (value & 15)] + all[place + 16 + (value >> 4)];
        }
        out[row] = fround(sum * s) + fround(all[along + row] * w);
      }
    },
  };
}

/** @param {Float32Array} heap least first @param {number} at a new place at its end @param {number} score */
function moveUp(heap, at, score) {
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (heap[parent] <= score) break;
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = score;
}

/** @param {Float32Array} heap @param {number} size @param {number} score in place of the least */
function moveDown(heap, size, score) {
  let at = 0;
  for (let child = 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size && heap[child + 1] < heap[child]) child++;
    if (heap[child] >= score) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = score;
}
