// Runs searches over a vector file with the real kernel and its scalar twin:
//   node hits.mjs KERNEL.wasm < {file, shape, searches: [{query, limit, allowed}]}
// Floats cross as bytes (base64), so that nothing is lost on the way; prints what each kernel and
// each way of keeping rows found, with the scores' bytes.
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { scalarKernel } from "../../../workers/vector-kernel-scalar.mjs";
import { Vectors } from "../../../workers/vectors.mjs";

const { file, shape, searches } = JSON.parse(readFileSync(0, "utf8"));
const simd = await Vectors.create(readFileSync(process.argv[2]));
if (simd.kind !== "simd") throw new Error("the kernel did not compile");

function reader() {
  const handle = openSync(file, "r");
  let open = true;
  return {
    // Short reads, as any file may give them.
    read: (into, at) => readSync(handle, into, 0, Math.min(into.length, 100_003), at),
    close: () => {
      if (open) closeSync(handle);
      open = false;
    },
  };
}

const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));

function find(vectors, key, { query, limit, allowed }, exact, rows) {
  const search = vectors.search(key, new Float32Array(bytes(query).buffer), limit, allowed === null ? null : bytes(allowed), exact);
  while (!search.step(rows));
  const found = search.hits();
  return { rows: [...found.rows], scores: Buffer.from(found.scores.buffer).toString("hex") };
}

const results = {};
for (const vectors of [simd, new Vectors(scalarKernel, "scalar")]) {
  for (const keep of ["rows", "codes", "both"]) {
    const loading = vectors.load(keep, reader(), shape, keep);
    while (!loading.step(1));
    results[`${vectors.kind} ${keep}`] = searches.map((search, i) => find(vectors, keep, search, true, i % 2 ? 1 : Infinity));
    if (keep === "rows") continue;
    results[`${vectors.kind} ${keep} by code`] = searches.map((search) => find(vectors, keep, search, false, 5000));
    vectors.unload(keep);
  }
}
console.log(JSON.stringify(results));
