// Vector files that can be searched: the engine's way to the vector kernel. Lives in the engine
// worker, because reading a file at once needs a synchronous handle.
//
//   const vectors = await Vectors.create();
//   const loading = vectors.load("pack", reader, shape, "rows");
//   while (!loading.step(65536)) …;
//   const search = vectors.search("pack", query, 40);
//   while (!search.step(65536)) …;
//   search.hits();

import { scalarKernel } from "./vector-kernel-scalar.mjs";
import { VectorSearch } from "./vector-search.mjs";
import { VectorSet } from "./vector-set.mjs";

/** @typedef {import("./vector-kernel-scalar.mjs").Kernel} Kernel */
/** @typedef {import("./vector-set.mjs").Reader} Reader */

export class Vectors {
  /** @type {Map<string, VectorSet>} those that are loaded */
  #sets = new Map();

  /**
   * @param {(memory: WebAssembly.Memory) => Kernel} createKernel
   * @param {"simd" | "scalar"} kind
   */
  constructor(createKernel, kind) {
    this.createKernel = createKernel;
    this.kind = kind;
  }

  /** With the SIMD kernel where the engine has SIMD. @param {string | URL | BufferSource} wasm its address or bytes */
  static async create(wasm = new URL("./vector-kernel.wasm", import.meta.url)) {
    const bytes = wasm instanceof URL || typeof wasm === "string" ? await fetchBytes(wasm) : wasm;
    try {
      return Vectors.of(await WebAssembly.compile(bytes));
    } catch (error) {
      if (!(error instanceof WebAssembly.CompileError)) throw error;
      return new Vectors(scalarKernel, "scalar");
    }
  }

  /** @param {WebAssembly.Module} module vector-kernel.wasm */
  static of(module) {
    return new Vectors((memory) => {
      const { exports } = new WebAssembly.Instance(module, { env: { memory } });
      return /** @type {Kernel} */ (/** @type {unknown} */ (exports));
    }, "simd");
  }

  /**
   * Begin to load a file; it can be searched once `step` said true. A set of that key is replaced then.
   * @param {string} key
   * @param {Reader} reader closed by us
   * @param {import("./vector-set.mjs").Shape} shape
   * @param {import("./vector-set.mjs").Keep} keep
   */
  load(key, reader, shape, keep = "rows") {
    try {
      const set = new VectorSet(this.createKernel, reader, shape, keep);
      return new Loading(set, () => {
        this.unload(key);
        this.#sets.set(key, set);
      });
    } catch (error) {
      reader.close();
      throw error;
    }
  }

  /** @param {string} key */
  has(key) {
    return this.#sets.has(key);
  }

  /** Forget a set, its memory and its file; unknown keys are ignored. @param {string} key */
  unload(key) {
    this.#sets.get(key)?.close();
    this.#sets.delete(key);
  }

  /**
   * Begin a search; go on with `step`, then `hits`, or `close` to stop.
   * @param {string} key
   * @param {Float32Array} query
   * @param {number} limit
   * @param {Uint8Array | null} [allowed] a bitmap of rows, lowest bit first
   * @param {boolean} [exact] look at every row even where there are codes
   */
  search(key, query, limit, allowed, exact) {
    const set = this.#sets.get(key);
    if (!set) throw new Error(`No vectors are loaded as ${key}.`);
    return new VectorSearch(set, query, limit, { allowed, exact });
  }

  /** Memory of all sets. */
  bytes() {
    return [...this.#sets.values()].reduce((sum, set) => sum + set.bytes, 0);
  }
}

class Loading {
  #work;
  #done = false;

  /** @param {VectorSet} set @param {() => void} finished */
  constructor(set, finished) {
    this.set = set;
    this.finished = finished;
    this.#work = set.load();
  }

  /** Go on for about this many rows; true when done. @param {number} rows */
  step(rows = Infinity) {
    try {
      while (!this.#done && rows > 0) {
        const { value, done } = this.#work.next();
        if (done) {
          this.#done = true;
          this.finished();
        } else {
          rows -= value;
        }
      }
      return this.#done;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Give up; harmless when done. */
  close() {
    if (this.#done) return;
    this.#work.return();
    this.set.close();
  }
}

/** @param {string | URL} url */
async function fetchBytes(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The vector kernel could not be read (${response.status}).`);
  return response.arrayBuffer();
}
