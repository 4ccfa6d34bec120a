// How every page talks to the engine: one link per page, used by the reader pages directly and by
// boot.mjs for the app page. Plain JavaScript without eval, so that readers can forbid it.
//
//   const engine = connect();
//   const document = await engine.request("reader.document", { source, document });
import { Client } from "../workers/rpc.mjs";
import { missing } from "./capabilities.mjs";
import { Link } from "./link.mjs";

/** @typedef {(method: string, params: any) => void} Notified */

/** This page's connection to the engine. */
export class Connection {
  /** @type {((text: string) => void)[]} */
  #listeners = [];
  /** @type {Notified} */
  onnotification = () => {};
  /** @type {(role: string) => void} */
  onrole = () => {};
  /** @type {Link | null} */
  #link = null;

  constructor() {
    // Requests of this module and of the page's own client share the link: their ids must differ.
    this.client = new Client((message) => this.send(JSON.stringify(message)), "js-");
    this.client.onnotification = (method, params) => this.onnotification(method, params);
    this.failure = missing();
    if (!this.failure) {
      this.#link = new Link((text) => this.#receive(text), (role) => this.onrole(role));
    }
  }

  get role() {
    return this.#link?.role ?? "failed";
  }

  /**
   * Ask the engine; rejects with a CairnError (code, message, hint).
   * @param {string} method
   * @param {object} [params]
   * @param {{timeoutMs?: number, signal?: AbortSignal}} [options]
   */
  request(method, params, options) {
    const { promise, reject } = Promise.withResolvers();
    if (this.failure) reject(Object.assign(new Error(this.failure.message), this.failure));
    return this.failure ? promise : this.client.request(method, params, options);
  }

  /** @param {string} text a JSON-RPC message of the page's own client */
  send(text) {
    this.#link?.send(text);
  }

  /** @param {string} key @param {File[]} files that the person chose @param {string[]} paths of each */
  sendFiles(key, files, paths) {
    this.#link?.sendFiles(key, files, paths);
  }

  /** @param {(text: string) => void} listener gets every message for this page, as text */
  listen(listener) {
    this.#listeners.push(listener);
    if (!this.failure) return;
    listener(JSON.stringify({ jsonrpc: "2.0", method: "engine.failed", params: this.failure }));
  }

  takeOver() {
    this.#link?.takeOver();
  }

  /** Close the engine, in whatever tab it runs; resolves when its files are free. */
  async close() {
    await this.#link?.close();
  }

  /** @param {string} text */
  #receive(text) {
    this.client.receive(JSON.parse(text));
    for (const listener of this.#listeners) listener(text);
  }
}

/** @type {Connection | undefined} */
let connection;

/** @returns {Connection} the one connection of this page, opened by the first call */
export function connect() {
  connection ??= new Connection();
  return connection;
}
