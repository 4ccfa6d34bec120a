// Assembles WebAssembly text into a module:  node build/wat.mjs INPUT.wat OUTPUT.wasm
import { readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import wabt from "wabt";

const [input, output] = process.argv.slice(2);
if (!output) {
  console.error("usage: node build/wat.mjs INPUT.wat OUTPUT.wasm");
  process.exit(2);
}
try {
  const { parseWat } = await wabt();
  const module = parseWat(basename(input), await readFile(input, "utf8"), { simd: true, threads: true, bulk_memory: true });
  module.validate();
  await writeFile(output, module.toBinary({ write_debug_names: false }).buffer);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
