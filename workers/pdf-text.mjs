// The PDF worker: pdf.js reads, this serves (pysrc/cairn/protocol/workers.py).
import "../vendor/pdfjs/pdf.worker.min.mjs";
import * as pdfjs from "../vendor/pdfjs/pdf.min.mjs";
import { PdfPages } from "./pdf-pages.mjs";
import { serve } from "./serve.mjs";

const data = new URL("../vendor/pdfjs/", import.meta.url).href;
const pdf = new PdfPages(pdfjs, { cMapUrl: `${data}cmaps/`, cMapPacked: true, useWorkerFetch: false });

serve({
  "pdf.open": (params) => pdf.open(params),
  "pdf.page": (params) => pdf.page(params),
  "pdf.close": () => pdf.close(),
});
