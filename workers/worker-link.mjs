// One model worker as pysrc/cairn/browser/workers.py sees it: messages in and out, and one `crashed`
// call when it ends without being asked to.
import { watch } from "./lifeline.mjs";

/** A worker and its lifeline. */
export class WorkerLink {
  #abort = new AbortController();

  /**
   * @param {string} url
   * @param {string} role short name, part of the lifeline's
   * @param {(message: unknown) => void} received
   * @param {(reason: string) => void} crashed
   */
  constructor(url, role, received, crashed) {
    const name = `cairn-${role}-${crypto.randomUUID()}`;
    /** @param {string} reason */
    const fail = (reason) => {
      if (this.#abort.signal.aborted) return;
      this.close();
      crashed(reason);
    };
    this.worker = new Worker(url, { type: "module", name });
    this.worker.onmessage = ({ data }) => {
      // The first message says that the worker holds its lifeline.
      if (data.type !== "alive") received(data);
      else watch(name, () => fail("it ended unexpectedly"), this.#abort.signal);
    };
    this.worker.onerror = (event) => {
      event.preventDefault();
      fail(event.message || "its script could not be loaded");
    };
    this.worker.onmessageerror = () => fail("a message could not be read");
  }

  /** @param {unknown} message */
  post(message) {
    this.worker.postMessage(message);
  }

  close() {
    this.#abort.abort();
    this.worker.terminate();
  }
}
