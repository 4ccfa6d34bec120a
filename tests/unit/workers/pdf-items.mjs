// Prints what workers/pdf-pages.mjs reads of a PDF, as JSON lines: the opened file, then each page.
// node pdf-items.mjs NAME [PASSWORD] < FILE
import { readFileSync } from "node:fs";
import { PdfPages } from "../../../workers/pdf-pages.mjs";

// What an older Node lacks and every browser of ours has.
Promise.withResolvers ??= () => {
  let resolve, reject;
  const promise = new Promise((...both) => { [resolve, reject] = both; });
  return { promise, resolve, reject };
};
await import("pdfjs-dist/legacy/build/pdf.worker.mjs");
const pdfjs = await import("pdfjs-dist/legacy/build/pdf.mjs");

const [name, password = ""] = process.argv.slice(2);
const folder = new URL("../../../node_modules/pdfjs-dist/", import.meta.url).pathname;
const pdf = new PdfPages(pdfjs, { cMapUrl: `${folder}cmaps/`, cMapPacked: true });
try {
  const opened = await pdf.open({ data: new Uint8Array(readFileSync(0)), name, password });
  console.log(JSON.stringify(opened));
  for (let number = 1; number <= opened.pages; number++) console.log(JSON.stringify(await pdf.page({ number, name })));
} catch (error) {
  console.log(JSON.stringify({ code: error.code ?? "internal", message: error.message, hint: error.hint }));
}
await pdf.close();
process.exit(0);
