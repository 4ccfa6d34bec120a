// A page whose engine runs in another tab: JSON-RPC text over the BroadcastChannel.
/** @typedef {import("./link.mjs").Events} Events */

/** A client of the tab in charge. */
export class Attached {
  /** @type {(string | import("./link.mjs").Handover)[]} sent before there was an owner */
  #waiting = [];
  #owner = "";
  #closed = false;

  /**
   * @param {BroadcastChannel} channel
   * @param {string} client
   * @param {Events} events
   * @param {Promise<void>} alive the owner can tell from now on when this page is gone
   */
  constructor(channel, client, events, alive) {
    this.channel = channel;
    this.client = client;
    this.events = events;
    void alive.then(() => this.#attach());
  }

  /** @param {string} text */
  send(text) {
    if (this.#owner) this.channel.postMessage({ type: "to-engine", client: this.client, text });
    else this.#waiting.push(text);
  }

  /** The tab in charge reads them where they lie. @param {import("./link.mjs").Handover} files */
  sendFiles(files) {
    if (this.#owner) this.channel.postMessage({ type: "to-engine", client: this.client, files });
    else this.#waiting.push(files);
  }

  /** @param {any} message from another page */
  receive({ type, owner, client, text }) {
    if (this.#closed) return;
    const mine = client === this.client || client === "*";
    if (type === "from-engine" && mine) this.events.received(text);
    else if (type === "owner" && client === this.client) this.#served(owner);
    else if (type === "owner" && client === undefined) this.#attach();
    else if (type === "gone" && owner === this.#owner) this.#lost();
  }

  close() {
    this.#closed = true;
    this.channel.postMessage({ type: "detach", client: this.client });
  }

  #attach() {
    if (!this.#closed) this.channel.postMessage({ type: "attach", client: this.client });
  }

  /** @param {string} owner */
  #served(owner) {
    if (this.#owner && this.#owner !== owner) this.#lost();
    this.#owner = owner;
    for (const one of this.#waiting.splice(0)) {
      if (typeof one === "string") this.send(one);
      else this.sendFiles(one);
    }
  }

  #lost() {
    this.#owner = "";
    this.events.lost("The tab in charge was closed while it worked on this.");
  }
}
