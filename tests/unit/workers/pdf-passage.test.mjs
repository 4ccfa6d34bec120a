// Run by test_pdf_passage.py: what of a page is marked for a passage.
import { readFileSync } from "node:fs";
const source = readFileSync(new URL("../../../web/reader/pdf-passage.mjs", import.meta.url), "utf-8");
const { letters, places } = await import(`data:text/javascript,${encodeURIComponent(source)}`);

const { page, passage } = JSON.parse(process.argv[2]);
const there = letters(page);
console.log(JSON.stringify(places(there, letters(passage)).map(({ start, end }) => there.slice(start, end))));
