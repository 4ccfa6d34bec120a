// One life of the engine worker, as the page that owns it sees it.
import { watch } from "../workers/lifeline.mjs";

const CLOSE_MS = 3_000;
const SILENCE_MS = 180_000;
const ANSWERED = /"method": ?"engine\.(started|failed)"/;

/** Starts at once; ends by close(), abandon() or a crash, which is reported once. */
export class EngineWorker {
  id = crypto.randomUUID();
  born = performance.now();
  #ends = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} until the engine answers, silence is a crash */
  #silence;
  #answered = false;

  /**
   * @param {(text: string) => void} received
   * @param {(reason: string) => void} crashed
   */
  constructor(received, crashed) {
    this.crashed = crashed;
    const name = `cairn-engine-${this.id}`;
    this.worker = new Worker("/workers/engine.mjs", { type: "module", name });
    this.worker.addEventListener("message", ({ data }) => {
      if (data.type === "alive") watch(name, () => this.#crash("it ended"), this.#ends.signal);
    });
    this.worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#crash(event.message || "its script could not be loaded");
    });
    this.worker.addEventListener("messageerror", () => this.#crash("a message was unreadable"));
    const softgpu = new URLSearchParams(location.search).has("softgpu");
    const boot = { type: "boot", base: `${location.origin}/`, isolated: crossOriginIsolated, softgpu };
    this.port = this.open(boot);
    this.port.onmessage = ({ data }) => {
      this.#answered ||= ANSWERED.test(data);
      this.#listenForLife();
      received(data);
    };
    this.#listenForLife();
  }

  /** @returns {MessagePort} a page's connection; post null on it to end it */
  open(message = /** @type {object} */ ({ type: "connect" })) {
    const { port1, port2 } = new MessageChannel();
    this.worker.postMessage(message, [port2]);
    return port1;
  }

  get alive() {
    return !this.#ends.signal.aborted;
  }

  /** Close the databases, then the worker; ends in any case. */
  async close() {
    if (!this.alive) return;
    this.#ends.abort();
    const closed = new Promise((resolve) => {
      this.worker.addEventListener("message", ({ data }) => data.type === "closed" && resolve(null));
    });
    this.worker.postMessage({ type: "close" });
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, CLOSE_MS))]);
    this.abandon();
  }

  /** End the worker at once. */
  abandon() {
    this.#ends.abort();
    clearTimeout(this.#silence);
    this.worker.terminate();
  }

  #listenForLife() {
    clearTimeout(this.#silence);
    if (this.#answered) return;
    this.#silence = setTimeout(() => this.#crash("it did not start in time"), SILENCE_MS);
  }

  /** @param {string} reason */
  #crash(reason) {
    if (!this.alive) return;
    this.abandon();
    this.crashed(reason);
  }
}
