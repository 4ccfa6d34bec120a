// The page that holds the Web Lock: runs the engine worker, restarts it once when it crashes, and
// gives every other page its own port into it (over the BroadcastChannel).
import { watch } from "../workers/lifeline.mjs";
import { EngineWorker } from "./engine-worker.mjs";

/** @typedef {import("./link.mjs").Events} Events */

const RESTART_MS = 1_000;
const STEADY_MS = 60_000;

/** Runs the engine for all pages of this origin. */
export class Owner {
  /** @type {Map<string, {port: MessagePort, gone: AbortController}>} other pages, by client id */
  #clients = new Map();
  #crashes = 0;
  #failure = "";
  #closed = false;

  /**
   * @param {BroadcastChannel} channel
   * @param {Events} events
   */
  constructor(channel, events) {
    this.channel = channel;
    this.events = events;
    this.engine = this.#start();
  }

  /** @param {string} text */
  send(text) {
    this.engine.port.postMessage(text);
  }

  /** @param {import("./link.mjs").Handover} files */
  sendFiles(files) {
    this.engine.port.postMessage(files);
  }

  /** @param {any} message from another page */
  receive({ type, client, text, files }) {
    if (type === "attach") this.#attach(client);
    else if (type === "to-engine") this.#clients.get(client)?.port.postMessage(files ?? text);
    else if (type === "detach") this.#detach(client);
  }

  /** Close the engine in good order and tell the others. */
  async close() {
    this.#end();
    await this.engine.close();
    this.channel.postMessage({ type: "gone", owner: this.engine.id });
  }

  /** The lock was taken: end at once, so that two engines never use one library. */
  abandon() {
    this.#end();
    this.engine.abandon();
  }

  #end() {
    this.#closed = true;
    for (const { gone } of this.#clients.values()) gone.abort();
  }

  #start() {
    this.#failure = "";
    const engine = new EngineWorker(this.events.received, (reason) => this.#crashed(reason));
    this.engine = engine;
    for (const [client, { gone }] of this.#clients) this.#serve(client, gone);
    this.channel.postMessage({ type: "owner", owner: engine.id });
    return engine;
  }

  /** @param {string} client */
  #attach(client) {
    if (!this.#clients.has(client)) {
      const gone = new AbortController();
      // A page that crashes or is killed cannot say "detach"; its lock tells.
      watch(`cairn-client-${client}`, () => this.#detach(client), gone.signal);
      this.#serve(client, gone);
    }
    this.channel.postMessage({ type: "owner", owner: this.engine.id, client });
    if (this.#failure) this.#tell(client, this.#failure);
  }

  /** @param {string} client @param {AbortController} gone */
  #serve(client, gone) {
    const port = this.engine.open();
    port.onmessage = ({ data }) => this.#tell(client, data);
    this.#clients.set(client, { port, gone });
  }

  /** @param {string} client */
  #detach(client) {
    const found = this.#clients.get(client);
    this.#clients.delete(client);
    found?.gone.abort();
    found?.port.postMessage(null);
  }

  /** @param {string} client "*": every page @param {string} text */
  #tell(client, text) {
    this.channel.postMessage({ type: "from-engine", client, text });
  }

  /** @param {string} reason */
  #crashed(reason) {
    if (performance.now() - this.engine.born > STEADY_MS) this.#crashes = 0;
    const again = this.#crashes++ === 0;
    const failure = {
      code: "worker_crashed",
      message: `The engine stopped (${reason}).${again ? " It is starting again." : ""}`,
      hint: again ? "Ask again in a moment." : "Reload the page; close other tabs if memory is short.",
    };
    this.#failure = JSON.stringify({ jsonrpc: "2.0", method: "engine.failed", params: failure });
    this.events.received(this.#failure);
    this.#tell("*", this.#failure);
    if (again) setTimeout(() => this.#closed || this.#start(), RESTART_MS);
  }
}
