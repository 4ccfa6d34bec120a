// This page's way to the one engine of the origin: owner of the Web Lock, or client of the owner.
// When the owner goes away the next page in the queue of the lock becomes the owner.
import { hold } from "../workers/lifeline.mjs";
import { Attached } from "./attached.mjs";
import { Owner } from "./owner.mjs";
import { Pending } from "./pending.mjs";

/**
 * @typedef {object} Events
 * @property {(text: string) => void} received
 * @property {(why: string) => void} lost the engine is gone and another one takes over
 */
/** @typedef {{type: "files", key: string, files: File[], paths: string[]}} Handover what was chosen */
/** @typedef {"starting" | "owner" | "attached" | "released" | "failed"} Role */

const LOCK = "cairn-engine";
const CHANNEL = "cairn";
const STEAL_MS = 3_000;
const YIELD_MS = 5_000;
const CLOSE_MS = 10_000;
const CLOSE_STEP_MS = 100;

/** Elects the owner and carries messages either way. */
export class Link {
  client = crypto.randomUUID();
  /** @type {Role} */
  role = "starting";
  #channel = new BroadcastChannel(CHANNEL);
  #pending = new Pending();
  /** @type {Owner | Attached | null} */
  #engine = null;
  #queue = new AbortController();
  /** @type {(value?: unknown) => void} lets go of the lock */
  #release = () => {};
  // The owner learns from this lock that the page is gone.
  #alive = hold(`cairn-client-${this.client}`);

  /**
   * @param {(text: string) => void} received
   * @param {(role: Role) => void} changed
   */
  constructor(received, changed) {
    this.received = received;
    this.changed = changed;
    /** @type {Events} */
    this.events = {
      received: (text) => {
        const failure = this.#pending.received(text);
        received(text);
        if (failure) this.#lost(failure, false);
      },
      lost: (message) => this.#lost({ code: "worker_crashed", message, hint: "Ask again." }, true),
    };
    this.#channel.onmessage = ({ data }) => this.#receive(data);
    addEventListener("pagehide", () => this.#engine instanceof Attached && this.#engine.close());
    // Back from the browser's cache of pages: what this page was attached to has forgotten it.
    addEventListener("pageshow", (event) => "persisted" in event && event.persisted && location.reload());
    navigator.locks.request(LOCK, { ifAvailable: true }, (lock) => {
      if (lock) return this.#own();
      this.#attach("attached", "");
      return this.#enqueue(0);
    }).catch((error) => this.#robbed(error));
  }

  /** @param {string} text a JSON-RPC message */
  send(text) {
    this.#pending.sent(text);
    this.#engine?.send(text);
  }

  /**
   * Hand files to the engine, ahead of the request that names their key. An engine that ends forgets
   * them: whoever has them hands them over again when the next one says that it started.
   * @param {string} key
   * @param {File[]} files
   * @param {string[]} paths where each stood in what was chosen
   */
  sendFiles(key, files, paths) {
    this.#engine?.sendFiles({ type: "files", key, files, paths });
  }

  /** Ask the tab in charge to let go; take the lock from one that does not answer. */
  takeOver() {
    if (this.role === "owner") return;
    this.#channel.postMessage({ type: "take-over", client: this.client });
    this.#enqueue(0);
    setTimeout(() => {
      if (this.role === "owner") return;
      this.#queue.abort();
      navigator.locks.request(LOCK, { steal: true }, () => this.#own()).catch((e) => this.#robbed(e));
    }, STEAL_MS);
  }

  /** Close the engine in good order; this page is no longer served by any. */
  async close() {
    this.takeOver();
    for (let waited = 0; this.role !== "owner" && waited < CLOSE_MS; waited += CLOSE_STEP_MS) {
      await new Promise((resolve) => setTimeout(resolve, CLOSE_STEP_MS));
    }
    const owner = this.#engine;
    this.#engine = null;
    if (owner instanceof Owner) await owner.close();
  }

  /** @param {any} message */
  #receive(message) {
    if (message.type === "take-over") void this.#yield();
    else this.#engine?.receive(message);
  }

  #own() {
    this.#queue.abort();
    if (this.#engine instanceof Attached) this.#engine.close();
    const { promise, resolve } = Promise.withResolvers();
    this.#release = resolve;
    this.#become("owner", new Owner(this.#channel, this.events), "The tab in charge was closed.");
    return promise;
  }

  /** @param {"attached" | "released"} role @param {string} why what happened to the engine before */
  #attach(role, why) {
    this.#become(role, new Attached(this.#channel, this.client, this.events, this.#alive), why);
  }

  /** Wait in line for the lock. @param {number} pause before standing in line */
  #enqueue(pause) {
    this.#queue.abort();
    const queue = new AbortController();
    this.#queue = queue;
    setTimeout(() => {
      if (queue.signal.aborted) return;
      navigator.locks.request(LOCK, { signal: queue.signal }, () => this.#own())
        .catch((error) => queue.signal.aborted && this.role !== "owner" ? null : this.#robbed(error));
    }, pause);
  }

  /** Another page wants to be in charge: the owner closes, the others let it pass in the line. */
  async #yield() {
    const owner = this.#engine;
    this.#enqueue(YIELD_MS);
    if (!(owner instanceof Owner)) return;
    this.#engine = null;
    await owner.close();
    this.#release();
    this.#attach("released", "Another tab took over.");
  }

  /** The lock was stolen: this page was frozen, so nobody waited for its consent. @param {any} error */
  #robbed(error) {
    console.warn("Cairn: this tab is no longer in charge.", error);
    if (this.#engine instanceof Owner) this.#engine.abandon();
    this.#attach("released", "Another tab took over.");
    this.#enqueue(YIELD_MS);
  }

  /** @param {Role} role @param {Owner | Attached} engine @param {string} why */
  #become(role, engine, why) {
    this.role = role;
    this.#engine = engine;
    this.events.lost(why); // also sends what was asked before there was any engine
    this.changed(role);
  }

  /** @param {import("./pending.mjs").Failure} failure @param {boolean} again */
  #lost(failure, again) {
    const { texts, replies } = this.#pending.lost(failure, again);
    replies.forEach((text) => this.received(text));
    texts.forEach((text) => this.send(text));
  }
}
