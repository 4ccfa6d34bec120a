// The PDF worker: pdf.js reads, this serves (pysrc/cairn/protocol/workers.py).
import { PdfPages } from "./pdf-pages.mjs";
import { serve } from "./serve.mjs";

const PDFJS = "/vendor/pdfjs/";
/** @type {Promise<PdfPages> | undefined} */
let loading;

/** pdf.js without a worker of its own: this is one already. */
async function load() {
  await import(`${PDFJS}pdf.worker.min.mjs`);
  const library = await import(`${PDFJS}pdf.min.mjs`);
  const data = new URL(PDFJS, location.origin).href;
  return new PdfPages(library, { cMapUrl: `${data}cmaps/`, cMapPacked: true, useWorkerFetch: true });
}

const reader = () => (loading ??= load());

serve({
  "pdf.open": async (params) => (await reader()).open(params),
  "pdf.page": async (params) => (await reader()).page(params),
  "pdf.close": async () => (await reader()).close(),
});
