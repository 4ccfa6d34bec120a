// The PDF reader: the file's own pages, at the page that was cited, with the passage marked. Its address
// says what to show (source, document, page, last, passage); nothing comes from outside this device.
import { connect } from "/connection.mjs";
import { byId } from "/reader/elements.mjs";
import { open, original } from "/reader/pdf-file.mjs";
import { PdfFind } from "/reader/pdf-find.mjs";
import { showOutline } from "/reader/pdf-outline.mjs";
import { letters } from "/reader/pdf-passage.mjs";
import { offerPrint } from "/reader/pdf-print.mjs";
import { offerThumbnails } from "/reader/pdf-thumbnails.mjs";
import { PdfView } from "/reader/pdf-view.mjs";

const SLOW_MS = 60_000;
const MOST_PAGES = 8; // of a passage

/** @typedef {{message?: string, hint?: string}} Fault */
/** @type {(id: string) => HTMLButtonElement} */
const button = byId;
const state = byId("state");
const pageBox = /** @type {HTMLInputElement} */ (byId("page-box"));

/** @param {string} words "" hides the line */
function say(words) {
  state.hidden = !words;
  state.textContent = words;
}

/** @param {Fault} fault */
function refuse({ message, hint }) {
  say(`${message ?? "The document cannot be shown."} ${hint ?? ""}`.trim());
  state.dataset.kind = "refused";
}

/** @param {boolean} wrong the one before did not open it @returns {Promise<string | null>} */
function askPassword(wrong) {
  const sheet = /** @type {HTMLDialogElement} */ (byId("password"));
  const box = /** @type {HTMLInputElement} */ (byId("password-box"));
  if (wrong) byId("password-why").textContent = "That password does not open it. It is used once and not kept.";
  box.value = "";
  sheet.showModal();
  return new Promise((done) => {
    const end = (/** @type {string | null} */ word) => {
      box.value = "";
      done(word);
      sheet.close();
    };
    byId("password-form").onsubmit = (event) => {
      event.preventDefault();
      end(box.value);
    };
    byId("password-cancel").onclick = () => end(null);
    sheet.oncancel = () => end(null);
  });
}

/** @param {PdfView} view */
function steer(view) {
  const { length } = view.pages;
  const moved = (/** @type {number} */ page) => {
    pageBox.value = String(page);
    button("previous").disabled = page <= 1;
    button("next").disabled = page >= length;
  };
  view.moved = moved;
  moved(view.current);
  byId("page-count").textContent = `of ${length}`;
  pageBox.disabled = false;
  byId("page-form").onsubmit = (event) => {
    event.preventDefault();
    const page = Number.parseInt(pageBox.value, 10);
    if (page >= 1 && page <= length) view.go(page);
    pageBox.value = String(view.current);
  };
  /** @type {[string, () => void][]} */
  const tools = [
    ["previous", () => view.go(view.current - 1)], ["next", () => view.go(view.current + 1)],
    ["smaller", () => view.zoom(-1)], ["larger", () => view.zoom(1)], ["fit", () => view.fit()],
    ["rotate", () => view.rotate()],
  ];
  for (const [id, act] of tools) {
    button(id).onclick = act;
    if (id !== "previous" && id !== "next") button(id).disabled = false;
  }
}

/** @param {PdfView} view @param {PdfFind} find */
function keys(view, find) {
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key !== "f") return;
    event.preventDefault();
    find.open();
  });
  // Only where the pages have the focus: single keys elsewhere would be typed by accident.
  view.box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "-") view.zoom(event.key === "+" ? 1 : -1);
    else if (event.key === "0") view.fit();
    else if (event.key === "ArrowRight" && view.box.scrollWidth <= view.box.clientWidth) view.go(view.current + 1);
    else if (event.key === "ArrowLeft" && view.box.scrollWidth <= view.box.clientWidth) view.go(view.current - 1);
    else return;
    event.preventDefault();
  });
}

/** @param {PdfView} view @param {number} first @param {number} last pages that may hold it */
async function toPassage(view, first, last) {
  for (let number = first; number <= last; number++) {
    await view.pages[number - 1].draw();
    const [mark] = view.pages[number - 1].marks;
    if (!mark) continue;
    await view.reveal(number, (page) => page.marks[0]?.getBoundingClientRect());
    mark.tabIndex = -1;
    mark.focus({ preventScroll: true });
    return true;
  }
  return false;
}

async function main() {
  const wanted = new URLSearchParams(location.search);
  const [source, documentId, passage] = ["source", "document", "passage"].map((name) => wanted.get(name) ?? "");
  if (!source || !documentId) {
    refuse({ message: "This address names no document.", hint: "Open the reader from a citation or the Library." });
    return;
  }
  const which = { source, document: documentId };
  const asText = /** @type {HTMLAnchorElement} */ (byId("as-text"));
  asText.href = `/reader/text.html?${new URLSearchParams(passage ? { ...which, passage } : which)}`;
  asText.hidden = false;
  const slow = setTimeout(() => say("The library does not answer yet. Close other Cairn tabs, then reload."), SLOW_MS);
  try {
    const engine = connect();
    const text = engine.request("reader.document", passage ? { ...which, passage } : which);
    text.catch(() => {}); // told below
    const { name, data } = await original(engine, which, (done, total) => {
      clearTimeout(slow);
      say(`Opening the document… ${Math.round((100 * done) / total)} %`);
    });
    const { pdfjs, pdf } = await open(name, data, askPassword);
    const { title, passages, marked, text: whole } = await text;
    document.title = `${title} · Cairn`;
    byId("title").textContent = title;
    const cited = passages.find((/** @type {any} */ one) => one.id === marked);
    const words = cited ? letters([...whole].slice(cited.start, cited.end).join("")) : "";
    const page = Number.parseInt(wanted.get("page") ?? "1", 10);
    const first = Math.min(Math.max(page || 1, 1), pdf.numPages);
    const end = Number.parseInt(wanted.get("last") ?? "", 10) || first; // page of the passage's end
    const last = Math.min(Math.max(end, first), first + MOST_PAGES - 1, pdf.numPages);
    const view = new PdfView(byId("pages"), () => {});
    say("");
    await view.show(pdfjs, pdf, first, words, first, last);
    steer(view);
    keys(view, new PdfFind(pdf, view));
    offerPrint(pdf, () => view.current);
    offerThumbnails(pdf, view);
    void showOutline(pdf, (number) => view.go(number));
    view.box.focus({ preventScroll: true });
    if (!passage) return;
    const found = words !== "" && (await toPassage(view, first, last));
    button("to-passage").hidden = !found;
    button("to-passage").onclick = () => void toPassage(view, first, last);
    if (!found) say(`The cited passage could not be marked on page ${first}; “As text” shows it.`);
  } catch (error) {
    refuse(/** @type {Fault} */ (error));
  } finally {
    clearTimeout(slow);
  }
}

void main();
