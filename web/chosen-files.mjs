// Archive files that the person chooses: asked for, grouped, handed to the engine, handed over again
// when the engine was restarted, and remembered where the browser can remember them.
import * as handles from "./file-handles.mjs";

/** @typedef {import("./file-handles.mjs").Handle} Handle */
/** @typedef {{message: string, hint: string}} Reason */
/**
 * @typedef {{type: "adding", name: string} | {type: "added", name: string, source: string}
 *   | {type: "failed", name: string, message: string, hint: string}} FilesEvent
 */

const PART = /^(.*\.zim)[a-z]{2}$/i;
const ADD_MS = 120_000;
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
const TYPES = [{
  description: "ZIM archives",
  accept: { "application/x-zim": [".zim", ...LETTERS.map((letter) => `.zima${letter}`)] },
}];

/**
 * One list per archive: the parts of a split one together.
 * @template {{name: string}} T
 * @param {T[]} files
 * @returns {T[][]}
 */
export function grouped(files) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  files.forEach((file, index) => {
    const stem = PART.exec(file.name)?.[1].toLowerCase();
    const key = stem ?? `${index}`;
    groups.set(key, [...(groups.get(key) ?? []), file]);
  });
  return [...groups.values()];
}

/** Chooses files for the engine and tells what became of them. */
export class ChosenFiles {
  /** @type {Map<string, File[]>} what this page handed over, by key: an engine that restarts forgets */
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
      if (method === "engine.started") void this.#restore(params.sources);
    });
  }

  /** Ask for files: with handles that can be remembered where there are such, else plainly. */
  async choose() {
    const picker = /** @type {any} */ (globalThis).showOpenFilePicker;
    if (!picker) return this.#chooseByInput();
    try {
      /** @type {Handle[]} */
      const chosen = await picker({ multiple: true, types: TYPES, id: "cairn-archives" });
      await this.add(await Promise.all(chosen.map((handle) => handle.getFile())), chosen);
    } catch (error) {
      if (/** @type {DOMException} */ (error).name !== "AbortError") this.#chooseByInput();
    }
  }

  /** @param {File[]} files @param {Handle[]} [opened] their handles, in the same order, if there are any */
  async add(files, opened = []) {
    for (const group of grouped(files)) {
      const key = crypto.randomUUID();
      const own = opened.length ? group.map((file) => opened[files.indexOf(file)]) : [];
      if (await this.#hand(key, group)) await handles.remember(key, own).catch(() => {});
    }
  }

  /** Open a listed archive again: from its remembered handle, else by choosing. @param {string} key */
  async reopen(key) {
    const files = this.#given.get(key) ?? await handles.reopen(key, true).catch(() => []);
    if (files.length) await this.#hand(key, files);
    else await this.choose();
  }

  /** @param {string} key */
  async forget(key) {
    this.#given.delete(key);
    await handles.forget(key).catch(() => {});
  }

  /** The engine has started: hand over what it needs and what can be had without asking. @param {any[]} sources */
  async #restore(sources) {
    const listed = sources.filter(({ archive }) => archive?.key);
    for (const { archive } of listed.filter(({ archive }) => archive.state === "absent")) {
      const files = this.#given.get(archive.key) ?? await handles.reopen(archive.key, false).catch(() => []);
      if (files.length) await this.#hand(archive.key, files, true);
    }
    const wanted = new Set([...this.#given.keys(), ...listed.map(({ archive }) => archive.key)]);
    await handles.keepOnly(wanted).catch(() => {}); // no IndexedDB: nothing is remembered
  }

  /** @param {string} key @param {File[]} files @param {boolean} [quietly] @returns {Promise<boolean>} */
  async #hand(key, files, quietly = false) {
    const name = files[0].name;
    if (!quietly) this.told({ type: "adding", name });
    try {
      this.#given.set(key, files);
      this.connection.sendFiles(key, files);
      const { id, title } = await this.connection.request("archives.add", { key }, { timeoutMs: ADD_MS });
      this.told({ type: "added", name: title, source: id });
      return true;
    } catch (error) {
      this.#given.delete(key);
      const { message, hint } = /** @type {Reason} */ (/** @type {unknown} */ (error));
      if (!quietly) this.told({ type: "failed", name, message, hint: hint ?? "" });
      return false;
    }
  }

  #chooseByInput() {
    const input = this.#input ?? document.createElement("input");
    this.#input = input;
    Object.assign(input, { type: "file", multiple: true, hidden: true, value: "" });
    input.onchange = () => void this.add([...(input.files ?? [])]);
    document.body.append(input);
    input.click();
  }
}
