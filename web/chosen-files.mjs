// Files that the person chooses: asked for, sorted by kind, handed to the engine, handed over again
// when the engine was restarted, and remembered where the browser can remember them.
import * as handles from "./file-handles.mjs";
import { TYPES, bundles, documents, parcels, plainly } from "./intake.mjs";

/** @typedef {import("./file-handles.mjs").Handle} Handle */
/** @typedef {import("./intake.mjs").Chosen} Chosen */
/** @typedef {import("./intake.mjs").Parcel} Parcel */
/** @typedef {{message: string, hint: string}} Reason */
/**
 * @typedef {{kind: import("./intake.mjs").Kind, name: string} & ({type: "adding"}
 *   | {type: "added", result: any} | {type: "failed", message: string, hint: string})} FilesEvent
 */

const ADD_MS = 120_000;
const COPY_MS = 24 * 3_600_000; // a folder of documents may be large; how far it is, is told

/** Chooses files for the engine and tells what became of them. */
export class ChosenFiles {
  /** @type {Map<string, Chosen[]>} what this page handed over, by key: an engine that restarts forgets */
  #given = new Map();
  #input = /** @type {HTMLInputElement | null} */ (null);

  /**
   * @param {import("./connection.mjs").Connection} connection
   * @param {(event: FilesEvent) => void} told
   */
  constructor(connection, told) {
    this.connection = connection;
    this.told = told;
    connection.listen((text) => {
      if (!text.includes('"engine.started"')) return;
      const { method, params } = JSON.parse(text);
      if (method === "engine.started") void this.#restore(params.sources, params.packs.jobs);
    });
  }

  /** Ask for files: with handles that can be remembered where there are such, else plainly. */
  async choose() {
    const picker = /** @type {any} */ (globalThis).showOpenFilePicker;
    if (!picker) return this.#chooseByInput();
    try {
      /** @type {Handle[]} */
      const opened = await picker({ multiple: true, types: TYPES, id: "cairn-files" });
      await this.add(await Promise.all(opened.map(async (handle) => {
        const file = await handle.getFile();
        return { file, path: file.name, handle };
      })));
    } catch (error) {
      if (/** @type {DOMException} */ (error).name !== "AbortError") this.#chooseByInput();
    }
  }

  /** @param {Chosen[]} chosen files and files of folders, whatever their kind */
  async add(chosen) {
    for (const parcel of parcels(chosen, await bundles(chosen))) {
      const key = crypto.randomUUID();
      const own = parcel.chosen.flatMap(({ handle }) => handle ?? []);
      if (!await this.#hand(key, parcel) || parcel.kind === "documents") continue;
      if (own.length === parcel.chosen.length) await handles.remember(key, own).catch(() => {});
    }
  }

  /** Ask for documents: files, or a folder with all that is in it. @param {string} collection @param {boolean} folder */
  chooseDocuments(collection, folder) {
    const input = document.createElement("input");
    Object.assign(input, { type: "file", multiple: true, hidden: true, webkitdirectory: folder });
    input.onchange = () => {
      const chosen = plainly(input.files ?? []);
      input.remove();
      if (chosen.length) void this.#hand(crypto.randomUUID(), documents(chosen, collection));
    };
    input.oncancel = () => input.remove();
    document.body.append(input);
    input.click();
  }

  /** Open what is listed again: from its remembered handle, else by choosing. @param {string} key */
  async reopen(key) {
    const chosen = this.#given.get(key) ?? plainly(await handles.reopen(key, true).catch(() => []));
    if (!chosen.length) return this.choose();
    for (const parcel of parcels(chosen)) await this.#hand(key, parcel);
  }

  /** @param {string} key */
  async forget(key) {
    this.#given.delete(key);
    await handles.forget(key).catch(() => {});
  }

  /**
   * The engine has started: hand over what it needs and what can be had without asking.
   * @param {any[]} sources
   * @param {any[]} jobs
   */
  async #restore(sources, jobs) {
    const listed = [...sources.flatMap(({ archive }) => archive ?? []), ...jobs].filter(({ key }) => key);
    for (const { key } of listed.filter(({ state }) => state === "absent" || state === "waiting")) {
      const chosen = this.#given.get(key) ?? plainly(await handles.reopen(key, false).catch(() => []));
      for (const parcel of parcels(chosen)) await this.#hand(key, parcel, true);
    }
    const wanted = new Set([...this.#given.keys(), ...listed.map(({ key }) => key)]);
    await handles.keepOnly(wanted).catch(() => {}); // no IndexedDB: nothing is remembered
  }

  /** @param {string} key @param {Parcel} parcel @param {boolean} [quietly] @returns {Promise<boolean>} */
  async #hand(key, { kind, method, chosen, collection }, quietly = false) {
    const name = chosen[0].path;
    if (!quietly) this.told({ type: "adding", kind, name });
    try {
      this.#given.set(key, chosen);
      this.connection.sendFiles(key, chosen.map(({ file }) => file), chosen.map(({ path }) => path));
      const own = kind === "documents";
      const params = collection ? { key, collection } : { key };
      const result = await this.connection.request(method, params, { timeoutMs: own ? COPY_MS : ADD_MS });
      if (own) this.#given.delete(key); // they are copied: nobody needs the files again
      this.told({ type: "added", kind, name, result });
      return true;
    } catch (error) {
      this.#given.delete(key);
      const { message, hint } = /** @type {Reason} */ (/** @type {unknown} */ (error));
      if (!quietly) this.told({ type: "failed", kind, name, message, hint: hint ?? "" });
      return false;
    }
  }

  #chooseByInput() {
    const input = this.#input ?? document.createElement("input");
    this.#input = input;
    Object.assign(input, { type: "file", multiple: true, hidden: true, value: "" });
    input.onchange = () => void this.add(plainly(input.files ?? []));
    document.body.append(input);
    input.click();
  }
}
