// The bytes of a PDF, from the engine in parts and checked against the name they are kept under
// (their SHA-256), and pdf.js over them. Nothing is fetched but the site's own files.
/** @typedef {{code?: string, message?: string, hint?: string}} Fault */
/** @typedef {import("/connection.mjs").Connection} Connection */

const PDFJS = "/vendor/pdfjs/";
const AS_TEXT = "“As text” shows what was read from it.";
const DAMAGED = "Remove it from the Library and add the file again.";

/**
 * @param {Connection} engine
 * @param {{source: string, document: string}} which
 * @param {(done: number, total: number) => void} told
 * @returns {Promise<{name: string, data: Uint8Array<ArrayBuffer>}>} rejects with a Fault
 */
export async function original(engine, which, told) {
  let part = await engine.request("documents.original", { ...which, offset: 0 });
  if (part.kind !== "pdf") throw fault("document_unreadable", `“${part.name}” is no PDF.`, AS_TEXT);
  const data = new Uint8Array(part.bytes);
  let at = 0;
  while (at < data.length) {
    if (at) part = await engine.request("documents.original", { ...which, offset: at });
    const bytes = decoded(part.data);
    if (!bytes.length) break;
    data.set(bytes, at);
    at += bytes.length;
    told(at, data.length);
  }
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  const hex = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (at !== data.length || hex !== part.sha256) {
    throw fault("storage_damaged", `The kept copy of “${part.name}” is not what was added.`, DAMAGED);
  }
  return { name: part.name, data };
}

/** @param {string} text base64 */
function decoded(text) {
  const native = /** @type {any} */ (Uint8Array).fromBase64;
  if (native) return /** @type {Uint8Array} */ (native.call(Uint8Array, text));
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

/**
 * @param {string} name
 * @param {Uint8Array} data handed over: empty afterwards
 * @param {(wrong: boolean) => Promise<string | null>} password asks the person; null when they give up
 * @returns {Promise<{pdfjs: any, pdf: any}>} the library and its open document; rejects with a Fault
 */
export async function open(name, data, password) {
  const pdfjs = await import(/** @type {string} */ (`${PDFJS}pdf.min.mjs`));
  pdfjs.GlobalWorkerOptions.workerSrc = `${PDFJS}pdf.worker.min.mjs`;
  const files = new URL(PDFJS, location.origin).href;
  const task = pdfjs.getDocument({
    data,
    cMapUrl: `${files}cmaps/`,
    cMapPacked: true,
    standardFontDataUrl: `${files}fonts/`,
    wasmUrl: `${files}wasm/`,
    useWorkerFetch: true,
    useSystemFonts: true,
    isEvalSupported: false,
    enableXfa: false,
    verbosity: 0,
  });
  let refused = false;
  task.onPassword = async (/** @type {(word: string) => void} */ use, /** @type {number} */ reason) => {
    const word = await password(reason === pdfjs.PasswordResponses.INCORRECT_PASSWORD);
    if (word !== null) return use(word);
    refused = true;
    await task.destroy();
  };
  try {
    return { pdfjs, pdf: await task.promise };
  } catch (error) {
    if (refused) throw fault("password_needed", `“${name}” opens only with its password.`, "Reload to type it.");
    const { message } = /** @type {Error} */ (error);
    throw fault("document_unreadable", `“${name}” cannot be shown: it is no whole PDF (${message}).`, AS_TEXT);
  }
}

/** @param {string} code @param {string} message @param {string} hint @returns {Fault} */
function fault(code, message, hint) {
  return Object.assign(new Error(message), { code, hint });
}
