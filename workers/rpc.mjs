// JSON-RPC 2.0 semantics over any message carrier (pysrc/cairn/protocol): a request gets exactly
// one reply with its id, notifications have none, "$/cancel" ends a request with `cancelled`.
// Used by the model workers (server) and by pages (client).
import { CairnError, encodeError } from "./errors.mjs";

/**
 * @typedef {{jsonrpc?: string, id?: number | string | null, method?: string, params?: any,
 *            result?: any, error?: import("./errors.mjs").WireError}} Message
 */
/** @typedef {(message: Message, transfer?: Transferable[]) => void} Post */

/** A result whose buffers are moved, not copied, to the other side. */
export class Transferred {
  /**
   * @param {unknown} result
   * @param {Transferable[]} transfer
   */
  constructor(result, transfer) {
    this.result = result;
    this.transfer = transfer;
  }
}

/** @typedef {(params: any, signal: AbortSignal, id: number | string) => unknown} Method */

/** Serves methods one border away. */
export class Server {
  /** @type {Map<number | string, AbortController>} requests being served */
  #running = new Map();

  /**
   * @param {Post} post
   * @param {Record<string, Method>} methods
   */
  constructor(post, methods) {
    this.post = post;
    this.methods = methods;
  }

  /** @param {Message} message */
  async receive({ id, method, params }) {
    if (method === "$/cancel") {
      this.#running.get(params?.id)?.abort();
      return;
    }
    if (id === undefined || id === null) return;
    const abort = new AbortController();
    this.#running.set(id, abort);
    try {
      const serve = this.methods[method ?? ""];
      if (!serve) throw new CairnError("unknown_method", `There is no method ${method}.`);
      const value = await serve(params ?? {}, abort.signal, id);
      const moved = value instanceof Transferred ? value : new Transferred(value, []);
      this.post({ id, result: moved.result ?? null }, moved.transfer);
    } catch (error) {
      const stopped = abort.signal.aborted && !(error instanceof CairnError);
      const fault = stopped ? new CairnError("cancelled", "Stopped.") : error;
      this.post({ id, error: encodeError(fault) });
    } finally {
      this.#running.delete(id);
    }
  }

  /**
   * @param {string} method
   * @param {unknown} params
   */
  notify(method, params) {
    this.post({ method, params });
  }
}

/** Asks a server; every wait ends, by answer, failure, cancel or time-out. */
export class Client {
  #next = 1;
  /** @type {Map<number | string, {resolve: (v: any) => void, reject: (e: Error) => void}>} */
  #waiting = new Map();
  /** @type {(method: string, params: any) => void} */
  onnotification = () => {};

  /**
   * @param {(message: Message) => void} post
   * @param {string} [prefix] of the ids, where several clients share one carrier
   */
  constructor(post, prefix = "") {
    this.post = post;
    this.prefix = prefix;
  }

  /**
   * @param {string} method
   * @param {unknown} [params]
   * @param {{timeoutMs?: number, signal?: AbortSignal}} [options]
   * @returns {Promise<any>}
   */
  request(method, params = {}, { timeoutMs = 60_000, signal } = {}) {
    const id = this.prefix ? `${this.prefix}${this.#next++}` : this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers();
    const cancel = () => this.post({ jsonrpc: "2.0", method: "$/cancel", params: { id } });
    const timer = setTimeout(() => {
      cancel();
      reject(new CairnError("timed_out", `${method} took longer than ${timeoutMs / 1000} s.`));
    }, timeoutMs);
    signal?.addEventListener("abort", cancel);
    this.#waiting.set(id, { resolve, reject });
    this.post({ jsonrpc: "2.0", id, method, params });
    return promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      this.#waiting.delete(id);
    });
  }

  /** @param {Message} message */
  receive(message) {
    if (message.method !== undefined) return this.onnotification(message.method, message.params);
    const waiting = this.#waiting.get(message.id ?? "");
    if (message.error) waiting?.reject(CairnError.decode(message.error));
    else waiting?.resolve(message.result);
  }

  /** @param {Error} error the other side is gone: everything that waits ends with this */
  fail(error) {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
  }
}
