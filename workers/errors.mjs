// Errors cross every border as data: a code (pysrc/cairn/errors.py), a sentence for people, a next step.

/**
 * @typedef {{code: string, message: string, data?: {hint?: string, retryable?: boolean}}} WireError
 */

/** An error that keeps its code, its sentence for people and the next step across a border. */
export class CairnError extends Error {
  /**
   * @param {string} code one of pysrc/cairn/errors.py
   * @param {string} message
   * @param {{hint?: string, retryable?: boolean}} [data]
   */
  constructor(code, message, data = {}) {
    super(message);
    this.name = "CairnError";
    this.code = code;
    this.hint = data.hint ?? "";
    this.retryable = data.retryable ?? false;
  }

  /** @param {WireError} error */
  static decode(error) {
    return new CairnError(error.code ?? "internal", error.message ?? "Unknown fault.", error.data);
  }
}

/**
 * @param {unknown} error
 * @returns {WireError}
 */
export function encodeError(error) {
  if (error instanceof CairnError) {
    const { code, message, hint, retryable } = error;
    return { code, message, data: { hint, retryable } };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { code: "internal", message, data: { hint: "", retryable: false } };
}
