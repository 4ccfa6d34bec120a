// The text reader: asks the engine for a document (which re-hashes it against its manifest), shows
// where it comes from, marks the cited passage and scrolls to it. Works alone in its own tab: the
// engine is reached through the tab that owns it, or started here when there is none.
import { connect } from "/connection.mjs";
import { draw, unitOffset } from "/reader/blocks.mjs";

const TIMEOUT_MS = 60_000;

/** @param {string} id */
function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`#${id} is missing`);
  return node;
}

/**
 * @param {string} message
 * @param {string} hint
 */
function refuse(message, hint) {
  const state = byId("state");
  state.dataset.kind = "refused";
  state.textContent = `${message} ${hint}`.trim();
  byId("document").hidden = true;
}

/** @param {string} code ISO 639-3 */
function languageName(code) {
  try {
    return new Intl.DisplayNames([navigator.language, "en"], { type: "language" }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** @param {any} result ReadResult of protocol */
function show(result) {
  document.title = `${result.title} · Cairn`;
  byId("title").textContent = result.title;
  const facts = [
    ["Collection", `${result.source_title} · ${result.collection}`],
    ["Language", languageName(result.language)],
    ["Licence", result.licence],
  ];
  byId("facts").replaceChildren(...facts.flatMap(([name, value]) => {
    const term = document.createElement("dt");
    const detail = document.createElement("dd");
    term.textContent = name;
    detail.textContent = value;
    detail.dir = "auto";
    return [term, detail];
  }));
  const own = result.source.startsWith("documents-");
  const against = own ? "what was read from the file when it was added" : "the pack's manifest";
  byId("verified").textContent = `Checked against ${against} (SHA-256 ${result.sha256.slice(0, 12)}…)`;
  byId("notice").textContent = result.notice;
  showReferences(result.references);
  const passage = result.passages.find((/** @type {any} */ p) => p.id === result.marked);
  const from = passage ? unitOffset(result.text, passage.start) : 0;
  const to = passage ? unitOffset(result.text, passage.end) : 0;
  byId("text").lang = result.language;
  const mark = draw(byId("text"), result.text, result.title, from, to);
  byId("document").hidden = false;
  if (mark) reveal(mark);
  return Boolean(mark);
}

/** @param {{title: string, url: string}[]} references */
function showReferences(references) {
  byId("references").hidden = references.length === 0;
  byId("reference-list").replaceChildren(...references.map((reference) => {
    const item = document.createElement("li");
    const address = document.createElement("code");
    address.textContent = reference.url; // to copy: a reader never leads out of the device
    item.append(`${reference.title} `, address);
    return item;
  }));
}

/** @param {HTMLElement} mark */
function reveal(mark) {
  const button = byId("to-passage");
  button.hidden = false;
  button.onclick = () => go();
  mark.tabIndex = -1;
  const go = () => {
    mark.scrollIntoView({ block: "start" });
    mark.focus({ preventScroll: true });
  };
  go();
}

async function main() {
  byId("print").onclick = () => window.print();
  const wanted = new URLSearchParams(location.search);
  const source = wanted.get("source");
  const documentId = wanted.get("document");
  const passage = wanted.get("passage") ?? "";
  if (!source || !documentId) {
    refuse("This address names no document.", "Open the reader from a citation.");
    return;
  }
  const slow = setTimeout(() => refuse("The library did not answer.", "Close other Cairn tabs, then reload."), TIMEOUT_MS);
  try {
    const engine = await connect();
    const params = passage ? { source, document: documentId, passage } : { source, document: documentId };
    const result = await engine.request("reader.document", params);
    const marked = show(result);
    const state = byId("state");
    const missing = passage !== "" && !marked;
    state.hidden = !missing;
    state.textContent = missing ? "The cited passage is not in this version of the document; this is the whole text." : "";
  } catch (error) {
    const fault = /** @type {{message?: string, hint?: string}} */ (error);
    refuse(fault.message ?? String(error), fault.hint ?? "");
  } finally {
    clearTimeout(slow);
  }
}

main();
