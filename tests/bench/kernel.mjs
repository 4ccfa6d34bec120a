// The kernel benchmark, in a worker of Chromium: everything is timed in the same rounds, so that
// what else the machine does hits all alike, the short ways several times in each. Those are timed in
// parts of about two milliseconds, and of each part the least counts: an interruption only ever adds,
// and a way that takes longer than the scheduler's slice would never be seen without one.
// Posts {speed, recall} or {error}.
import { candidateCount, VectorSearch } from "/workers/vector-search.mjs";
import { VectorSet } from "/workers/vector-set.mjs";
import { Vectors } from "/workers/vectors.mjs";

const ROWS = 251_144;
const DIMENSIONS = 384;
const LIMIT = 40;
const ROUNDS = 9;
const REPEATS = 20;
const PART = 131_072;
const WARM_UP = 2;

const { createKernel } = await Vectors.create();

/** xorshift32 @param {number} seed */
function chance(seed) {
  return () => {
    seed ^= seed << 13;
    seed ^= seed >>> 17;
    seed ^= seed << 5;
    return seed >>> 0;
  };
}

/** @param {number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** @param {() => unknown} work */
function time(work) {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Milliseconds from each yield to the next. @param {Generator} work */
function timeParts(work) {
  const parts = [];
  for (let done = false; !done;) parts.push(time(() => ({ done } = work.next())));
  return parts;
}

/** @param {Uint8Array} file */
const memoryReader = (file) => ({
  read: (/** @type {Uint8Array} */ into, /** @type {number} */ at) => {
    into.set(file.subarray(at, at + into.length));
    return into.length;
  },
  close() {},
});

/** Rows, then norms. @param {Int8Array} values @param {number} dimensions */
function asFile(values, dimensions) {
  const rows = values.length / dimensions;
  const file = new Uint8Array(values.length + rows * 4);
  file.set(new Uint8Array(values.buffer, values.byteOffset, values.length));
  const norms = new Float32Array(rows);
  for (let row = 0; row < rows; row++) {
    let sum = 0;
    for (let j = row * dimensions; j < (row + 1) * dimensions; j++) sum += values[j] * values[j];
    norms[row] = Math.sqrt(sum);
  }
  file.set(new Uint8Array(norms.buffer), values.length);
  return { file, shape: { rows, dimensions, offset: 0, norms: values.length } };
}

function load(reader, shape, keep) {
  const set = new VectorSet(createKernel, reader, shape, keep);
  for (const _ of set.load());
  return set;
}

function find(set, query, exact) {
  const search = new VectorSearch(set, query, LIMIT, { exact });
  search.step();
  return search.hits().rows;
}

/** The loop that everyone writes first: a score for every row. */
function scalarLoop(values, query, scores) {
  for (let row = 0, at = 0; row < scores.length; row++) {
    let sum = 0;
    for (let j = 0; j < DIMENSIONS; j++, at++) sum += values[at] * query[j];
    scores[row] = sum;
  }
}
/** The same code, compiled apart so that each sees one type of query. */
const scalarLoopOfFloats = new Function(`return ${scalarLoop.toString().replaceAll("DIMENSIONS", String(DIMENSIONS))}`)();

async function speed() {
  const next = chance(7);
  const words = new Uint32Array((ROWS * DIMENSIONS) / 4);
  for (let i = 0; i < words.length; i++) words[i] = next();
  const { file, shape } = asFile(new Int8Array(words.buffer), DIMENSIONS);
  const values = new Int8Array(file.buffer, 0, ROWS * DIMENSIONS);
  const loadRows = time(() => load(memoryReader(file), shape, "rows"));
  let set;
  const loadBoth = time(() => (set = load(memoryReader(file), shape, "both")));
  const module = await WebAssembly.compileStreaming(fetch("/bench/read.wasm"));
  const { read } = new WebAssembly.Instance(module, { env: { memory: set.memory } }).exports;
  const scores = new Float32Array(ROWS);
  const queries = Array.from({ length: ROUNDS + WARM_UP }, () => Float32Array.from({ length: DIMENSIONS }, () => next() / 2 ** 31 - 1));
  const scan = (exact) => function* (query) {
    const search = new VectorSearch(set, query, LIMIT, { exact });
    while (!search.step(PART)) yield;
    search.hits();
  };
  const ways = {
    *"scalar JavaScript, int8 query"(query) {
      scalarLoop(values, Int8Array.from(query, (v) => v * 127), scores);
    },
    *"scalar JavaScript, float query"(query) {
      scalarLoopOfFloats(values, query, scores);
    },
    *"plain SIMD read"() {
      for (let row = 0; row < ROWS; row += PART) {
        if (row) yield;
        read(set.at.rows + row * DIMENSIONS, Math.min(PART, ROWS - row) * DIMENSIONS);
      }
    },
    exact: scan(true),
    "pre-filter": scan(false),
  };
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, { totals: [], parts: [] }]));
  queries.forEach((query, round) => {
    for (const [name, way] of Object.entries(ways)) {
      for (let i = 0; i < (name.startsWith("scalar") ? 1 : REPEATS); i++) {
        const parts = timeParts(way(query));
        if (round < WARM_UP) continue;
        times[name].totals.push(parts.reduce((sum, ms) => sum + ms, 0));
        parts.forEach((ms, part) => (times[name].parts[part] = Math.min(ms, times[name].parts[part] ?? Infinity)));
      }
    }
  });
  return { times, loadRows, loadBoth, disk: await disk(file, shape, queries) };
}

/** Only codes in memory, rows from OPFS. */
async function disk(file, shape, queries) {
  const root = await navigator.storage.getDirectory();
  const handle = await (await root.getFileHandle("vectors", { create: true })).createSyncAccessHandle();
  handle.write(file);
  handle.flush();
  const reader = { read: (into, at) => handle.read(into, { at }), close() {} };
  let rows, codes;
  const loadRows = time(() => (rows = load(reader, shape, "rows")));
  const loadCodes = time(() => (codes = load(reader, shape, "codes")));
  const memory = [rows.bytes, codes.bytes];
  const search = median(queries.map((query) => time(() => find(codes, query, false))));
  const streamed = median(queries.slice(0, 5).map((query) => time(() => find(codes, query, true))));
  handle.close();
  return { loadRows, loadCodes, memory, search, streamed };
}

/** @param {Float32Array} vectors as tests/../vectors.py quantise */
function quantise(vectors) {
  const values = new Int8Array(vectors.length);
  for (let from = 0; from < vectors.length; from += DIMENSIONS) {
    const row = vectors.subarray(from, from + DIMENSIONS);
    const scale = 127 / row.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    row.forEach((value, j) => (values[from + j] = Math.round(value * scale)));
  }
  return values;
}

async function floats(url) {
  const response = await fetch(url);
  return response.ok ? new Float32Array(await response.arrayBuffer()) : null;
}

/** Without real vectors: clusters of clusters about a common mean, as embeddings have it. */
function synthetic(count) {
  const next = chance(11);
  const noise = () => (next() + next() + next() + next()) / 2 ** 32 - 2;
  const mean = Float32Array.from({ length: DIMENSIONS }, () => 1.7 * noise());
  const centres = Array.from({ length: 200 }, () => mean.map((value) => value + 0.6 * noise()));
  const vectors = new Float32Array(count * DIMENSIONS);
  for (let row = 0; row < count; row++) {
    const centre = centres[next() % centres.length];
    centre.forEach((value, j) => (vectors[row * DIMENSIONS + j] = value + 0.8 * noise()));
  }
  return vectors;
}

async function recall() {
  const [passages, questions] = await Promise.all([floats("/bench/passages.f32"), floats("/bench/queries.f32")]);
  const real = Boolean(passages && questions);
  const rows = passages ?? synthetic(20_000);
  const wanted = questions ?? synthetic(200);
  const { file, shape } = asFile(quantise(rows), DIMENSIONS);
  const set = load(memoryReader(file), shape, "both");
  const shares = [];
  for (let from = 0; from < wanted.length; from += DIMENSIONS) {
    const query = wanted.slice(from, from + DIMENSIONS);
    const best = new Set(find(set, query, true));
    shares.push([...find(set, query, false)].filter((row) => best.has(row)).length / best.size);
  }
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return {
    real, rows: shape.rows, queries: shares.length, recall: mean, worst: Math.min(...shares),
    candidates: candidateCount(shape.rows, LIMIT),
  };
}

try {
  postMessage({ speed: await speed(), recall: await recall() });
} catch (error) {
  postMessage({ error: String(error?.stack ?? error) });
}
