// Lets a model write nothing but whole sentences of a given list: which ones, in which order and how
// many is its choice, the words are not. For models too small to be trusted with words of their own.

/** A logits processor of transformers.js for one generation. */
export class Verbatim {
  /** @type {number[][]} tokens of the sentences that may still be written */
  #left;
  /** @type {number[][]} those that begin with what is written of the present sentence */
  #open = [];
  #at = 0;
  #count = 0;
  #started = false;

  /**
   * @param {any} tokenizer
   * @param {string[]} sentences
   * @param {number} most how many sentences may be written
   * @param {number} end the token that ends a text
   */
  constructor(tokenizer, sentences, most, end) {
    const encode = (/** @type {string} */ text) => tokenizer.encode(text, { add_special_tokens: false });
    // A sentence after another one begins with a space, which byte-level tokenizers make part of it.
    this.first = sentences.map((text) => encode(text)).filter((ids) => ids.length > 0);
    this.#left = sentences.map((text) => encode(` ${text}`)).filter((ids) => ids.length > 0);
    this.most = Math.min(most, this.#left.length);
    this.end = end;
  }

  /**
   * Forbid every token that does not continue a sentence.
   * @param {bigint[][]} ids everything so far, prompt included, one text
   * @param {any} logits tensor [1, vocabulary]
   */
  process(ids, logits) {
    if (this.#started) this.#written(Number(ids[0][ids[0].length - 1]));
    else this.#begin(this.first);
    this.#started = true;
    const allowed = new Set(this.#open.map((tokens) => tokens[this.#at]));
    const between = this.#at === 0 && this.#count > 0;
    if (allowed.size === 0 || between) allowed.add(this.end);
    const scores = logits.data;
    const kept = [...allowed].map((token) => [token, scores[token]]);
    scores.fill(-Infinity);
    for (const [token, score] of kept) scores[token] = score;
    return logits;
  }

  /** @param {number[][]} sentences */
  #begin(sentences) {
    this.#open = this.#count < this.most ? sentences : [];
    this.#at = 0;
  }

  /** @param {number} token */
  #written(token) {
    this.#open = this.#open.filter((tokens) => tokens[this.#at] === token);
    this.#at++;
    const whole = this.#open.find((tokens) => tokens.length === this.#at);
    if (!whole) return;
    const place = this.#count === 0 ? this.first.indexOf(whole) : this.#left.indexOf(whole);
    this.#left.splice(place, 1);
    this.#count++;
    this.#begin(this.#left);
  }
}
