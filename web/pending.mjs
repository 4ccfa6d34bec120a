// Requests that the engine has not answered yet, so that each one gets its answer even when the
// engine that had it is gone.

/** @typedef {{code: string, message: string, hint: string}} Failure */

/** Texts of unanswered requests, by id. */
export class Pending {
  /** @type {Map<number | string, {text: string, begun: boolean}>} begun: events of it were seen */
  #requests = new Map();

  /** @param {string} text on its way to the engine */
  sent(text) {
    const { id, method } = JSON.parse(text);
    if (method !== undefined && id !== undefined) this.#requests.set(id, { text, begun: false });
  }

  /** @param {string} text from the engine @returns {Failure | null} the engine's, if that is it */
  received(text) {
    const { id, method, params } = JSON.parse(text);
    if (method === undefined) this.#requests.delete(id);
    const request = this.#requests.get(params?.request);
    if (request) request.begun = true;
    return method === "engine.failed" ? params : null;
  }

  /**
   * The engine is gone. Requests that nothing was heard of are asked again where there is a next
   * engine; the others end with the failure, since half an answer cannot be continued.
   * @param {Failure} failure
   * @param {boolean} again
   * @returns {{texts: string[], replies: string[]}} to send to the next engine, to give to the page
   */
  lost({ code, message, hint }, again) {
    const texts = [];
    const replies = [];
    for (const [id, { text, begun }] of this.#requests) {
      const error = { code, message, data: { hint, retryable: true } };
      if (again && !begun) texts.push(text);
      else replies.push(JSON.stringify({ jsonrpc: "2.0", id, error }));
    }
    this.#requests.clear();
    return { texts, replies };
  }
}
