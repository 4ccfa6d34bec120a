// Named start-up steps: told to every page as they begin and end, and to pages that come later.

/** @typedef {{step: string, label: string, ms: number}} Step ms is 0 while the step runs */

/** Keeps the steps of one start. */
export class Steps {
  /** @type {Map<string, Step>} */
  #steps = new Map();

  /** @param {(text: string) => void} broadcast */
  constructor(broadcast) {
    this.broadcast = broadcast;
  }

  /** @param {string} step @param {string} label @param {number} ms */
  report(step, label, ms) {
    const entry = { step, label, ms: Math.round(ms * 10) / 10 };
    this.#steps.set(step, entry);
    this.broadcast(Steps.#text(entry));
  }

  /**
   * @template T
   * @param {string} step
   * @param {string} label
   * @param {() => Promise<T> | T} work
   * @returns {Promise<T>}
   */
  async run(step, label, work) {
    const began = performance.now();
    this.report(step, label, 0);
    const result = await work();
    this.report(step, label, performance.now() - began);
    return result;
  }

  /** @returns {string[]} what a page that comes later has missed */
  texts() {
    return [...this.#steps.values()].map(Steps.#text);
  }

  /** @returns {Record<string, number>} */
  timings() {
    return Object.fromEntries([...this.#steps.values()].map(({ step, ms }) => [step, ms]));
  }

  /** @param {Step} step */
  static #text(step) {
    return JSON.stringify({ jsonrpc: "2.0", method: "engine.step", params: step });
  }
}
