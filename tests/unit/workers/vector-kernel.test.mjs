// The WebAssembly kernel and its scalar twin write the same bytes; searches give back what they hold.
//   node --test tests/unit/workers/   (KERNEL_WASM names the assembled kernel)
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { scalarKernel } from "../../../workers/vector-kernel-scalar.mjs";
import { fsum } from "../../../workers/vector-query.mjs";
import { candidateCount } from "../../../workers/vector-search.mjs";
import { Vectors } from "../../../workers/vectors.mjs";

const wasm = readFileSync(process.env.KERNEL_WASM);
const module = new WebAssembly.Module(wasm);

function chance(seed) {
  return () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

/** Both kernels over equal memories of random bytes. */
function pair(seed) {
  const memories = [0, 1].map(() => new WebAssembly.Memory({ initial: 16 }));
  const next = chance(seed);
  const bytes = Uint8Array.from({ length: 1 << 20 }, () => next() * 256);
  for (const memory of memories) new Uint8Array(memory.buffer).set(bytes);
  const { exports } = new WebAssembly.Instance(module, { env: { memory: memories[0] } });
  return { memories, kernels: [exports, scalarKernel(memories[1])], next };
}

function onBoth({ memories, kernels }, work) {
  const results = kernels.map((kernel, i) => work(kernel, memories[i].buffer));
  assert.deepEqual(results[0], results[1]);
}

function assertSame({ memories }, from, length) {
  const [a, b] = memories.map((memory) => Buffer.from(memory.buffer, from, length));
  assert.ok(a.equals(b), `bytes ${from} to ${from + length} differ`);
}

const [ROWS, NORMS, QUERY, ALLOWED, OUT, STATE] = [0, 0x80000, 0x82000, 0x84000, 0x90000, 0xa0000];
const norms = (buffer, next) => new Float32Array(buffer, NORMS, 512).forEach((_, i, all) => (all[i] = 0.1 + i / 7));

for (const dims of [16, 48, 384, 1024]) {
  for (const count of [0, 1, 3, 4, 100, 499]) {
    test(`scan, fit, signs: ${count} rows of ${dims}`, () => {
      const both = pair(dims + count);
      const rows = Math.min(count, Math.floor(0x80000 / dims));
      onBoth(both, (kernel, buffer) => {
        norms(buffer);
        for (const allowed of [0, ALLOWED]) kernel.scan(ROWS, NORMS, QUERY, OUT + (allowed ? 0x2000 : 0), rows, dims, allowed);
        new Float32Array(buffer, QUERY, dims).forEach((_, j, all) => (all[j] = (j % 9) - 4));
        kernel.signs(ROWS, NORMS, QUERY, STATE, Math.min(rows, 100), dims);
        return kernel.fit(ROWS, NORMS, rows, dims);
      });
      assertSame(both, OUT, rows * 4);
      assertSame(both, OUT + 0x2000, rows * 4);
      assertSame(both, STATE, 0x40000);
    });
  }
}

test("gather", () => {
  const both = pair(3);
  onBoth(both, (kernel, buffer) => {
    norms(buffer);
    new Uint32Array(buffer, ALLOWED, 100).forEach((_, i, list) => (list[i] = (i * 37) % 499));
    kernel.gather(ALLOWED, 100, ROWS, NORMS, OUT, STATE, 48);
    return [...new Float32Array(buffer, STATE, 100)];
  });
  assertSame(both, OUT, 4800);
});

for (const bytes of [2, 48, 128]) {
  for (const count of [1, 16, 17, 1000]) {
    test(`estimate: ${count} rows of ${bytes} bytes`, () => {
      const both = pair(bytes * count);
      onBoth(both, (kernel, buffer) => {
        new Uint8Array(buffer, QUERY, bytes * 32).forEach((value, i, all) => (all[i] = value >> 1));
        const sparse = new Uint8Array(buffer, ALLOWED, 200);
        sparse.fill(0, 0, 20);
        for (const allowed of [0, ALLOWED]) {
          kernel.estimate(ROWS, NORMS, QUERY, OUT + (allowed ? 0x2000 : 0), count, bytes, 0.3, -1.7, allowed);
        }
      });
      assertSame(both, OUT, count * 4);
      assertSame(both, OUT + 0x2000, count * 4);
    });
  }
}

for (const [capacity, margin, levels] of [[1, 0, 1e6], [7, 0.01, 1e6], [50, 0, 10], [400, 0.1, 1e6], [5000, 0, 1e6]]) {
  test(`select: the best ${capacity}, margin ${margin}, ${levels} levels`, () => {
    const both = pair(capacity);
    const total = 3000;
    const random = chance(capacity);
    const all = Float32Array.from({ length: total }, () => Math.floor(random() * levels) / levels);
    for (let i = 0; i < total; i += 50) all[i] = -Infinity;
    onBoth(both, (kernel, buffer) => {
      new Uint32Array(buffer, STATE, 8).set([0, 0, capacity, 0, STATE + 64, 0, STATE + 0x10000, STATE + 0x20000]);
      new Float32Array(buffer, STATE, 2).set([-3.4028234663852886e38, margin]);
      for (let first = 0; first < total; first += 701) {
        const part = all.subarray(first, first + 701);
        new Float32Array(buffer, OUT, part.length).set(part);
        kernel.select(STATE, OUT, part.length, first);
      }
    });
    assertSame(both, STATE, 0x40000);
    const buffer = both.memories[0].buffer;
    const found = new Uint32Array(buffer, STATE + 0x10000, new Uint32Array(buffer, STATE, 8)[5]);
    const finite = all.filter(Number.isFinite).sort().reverse();
    const bar = finite.length < capacity ? -Infinity : finite[capacity - 1] - margin;
    const wanted = [...all.keys()].filter((row) => all[row] > -Infinity && all[row] >= bar);
    assert.deepEqual(wanted.filter((row) => !found.includes(row)), []);
  });
}

test("sums are rounded once", () => {
  const hard = [[1, 2 ** -53, 2 ** -106], [1, 2 ** -53], [1, -(2 ** -54), -(2 ** -107)], [1e308, 1, -1e308], [], [0.1, 0.2, 0.3]];
  assert.deepEqual(hard.map(fsum), [1 + 2 ** -52, 1, 1 - 2 ** -53, 1, 0, 0.6]);
});

function loaded(rows, dimensions, keep, seed = 5) {
  const next = chance(seed);
  const mean = Array.from({ length: dimensions }, () => (next() - 0.5) * 60);
  const values = new Int8Array(rows * dimensions);
  const lengths = new Float32Array(rows);
  for (let row = 0; row < rows; row++) {
    let sum = 0;
    for (let j = 0; j < dimensions; j++) {
      const value = Math.round(mean[j] + (next() + next() + next() - 1.5) * 60);
      values[row * dimensions + j] = value;
      sum += value * value;
    }
    lengths[row] = Math.sqrt(sum);
  }
  const file = new Uint8Array(values.length + rows * 4);
  file.set(new Uint8Array(values.buffer));
  file.set(new Uint8Array(lengths.buffer), values.length);
  const reader = {
    closed: 0,
    read: (into, at) => (into.set(file.subarray(at, at + into.length)), into.length),
    close: () => reader.closed++,
  };
  const vectors = Vectors.of(module);
  vectors.load("set", reader, { rows, dimensions, offset: 0, norms: values.length }, keep).step();
  const query = Float32Array.from(mean, (value) => value + (next() - 0.5) * 60);
  return { vectors, reader, query };
}

const run = (search) => {
  search.step();
  return search.hits();
};

test("codes find nearly all of the best, with exact scores", () => {
  const { vectors, query } = loaded(20_000, 64, "both");
  const exact = run(vectors.search("set", query, 40, null, true));
  const quick = run(vectors.search("set", query, 40));
  const scores = new Map([...exact.rows].map((row, i) => [row, exact.scores[i]]));
  const shared = [...quick.rows].filter((row) => scores.has(row));
  assert.ok(shared.length >= 32, `${shared.length} of 40`);
  quick.rows.forEach((row, i) => assert.ok(!scores.has(row) || scores.get(row) === quick.scores[i]));
  assert.equal(candidateCount(20_000, 40), 559);
});

test("a search in steps, several at once, and one that is stopped", () => {
  const { vectors, query } = loaded(20_000, 16, "rows");
  const whole = run(vectors.search("set", query, 10));
  const [one, two, three] = [1, 2, 3].map(() => vectors.search("set", query, 10));
  const memory = vectors.bytes();
  assert.equal(one.step(4096), false);
  assert.equal(two.step(8192), false);
  three.close();
  assert.equal(three.step(), true);
  assert.equal(three.hits().rows.length, 0);
  while (!one.step(4096));
  two.step();
  assert.deepEqual(one.hits(), whole);
  assert.deepEqual(two.hits(), whole);
  for (let i = 0; i < 20; i++) run(vectors.search("set", query, 10));
  assert.equal(vectors.bytes(), memory, "areas are used again");
});

test("memory and files are given back", () => {
  const kept = loaded(500, 16, "rows");
  assert.equal(kept.reader.closed, 1, "a file that is in memory is not held open");
  const { vectors, reader, query } = loaded(500, 16, "codes");
  assert.equal(reader.closed, 0);
  assert.ok(vectors.bytes() > 0 && vectors.has("set"));
  vectors.unload("set");
  vectors.unload("set");
  assert.equal(vectors.bytes(), 0);
  assert.ok(reader.closed > 0);
  assert.throws(() => vectors.search("set", query, 5), /No vectors/);
});

test("what does not fit is refused", () => {
  const { vectors, query } = loaded(100, 16, "rows");
  const reader = { read: () => 0, close: () => {} };
  const shape = { rows: 4, dimensions: 16, offset: 0, norms: 64 };
  assert.throws(() => vectors.load("short", reader, shape).step(), { name: "VectorsInvalid", message: /ends early/ });
  assert.throws(() => vectors.load("odd", reader, { ...shape, dimensions: 100 }), /sixteens/);
  assert.throws(() => vectors.load("vast", reader, { ...shape, rows: 2 ** 30 }), RangeError);
  assert.ok(!vectors.has("short"));
  assert.throws(() => vectors.search("set", query.subarray(1), 5), /dimensions/);
  assert.throws(() => vectors.search("set", query, 5, new Uint8Array(3)), /filter/);
  assert.throws(() => vectors.search("set", query.map(() => NaN), 5), /no number/);
});

test("an engine without SIMD gets the scalar kernel", async () => {
  const broken = wasm.slice(0, -1);
  assert.equal((await Vectors.create(broken)).kind, "scalar");
  assert.equal((await Vectors.create(wasm)).kind, "simd");
});
