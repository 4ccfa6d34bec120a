// Turns generated tokens into text as they come, without ever showing half a character: a character
// may need several tokens, and until the last one its decoding ends in U+FFFD.

const UNFINISHED = /\uFFFD+$/;

/** A streamer for transformers.js: put(ids) per step, end() once. */
export class TokenText {
  /** @type {bigint[]} */
  #ids = [];
  #shown = "";
  #prompt = true;
  count = 0;
  firstAt = 0;

  /**
   * @param {any} tokenizer
   * @param {(text: string, count: number) => void} show new characters
   */
  constructor(tokenizer, show) {
    this.tokenizer = tokenizer;
    this.show = show;
  }

  get text() {
    return this.#shown;
  }

  /** @returns {bigint | undefined} */
  get last() {
    return this.#ids.at(-1);
  }

  /** @param {bigint[][]} step the prompt first, then one token at a time */
  put([ids]) {
    if (this.#prompt) {
      this.#prompt = false;
      return;
    }
    this.#ids.push(...ids);
    this.count += ids.length;
    this.firstAt ||= performance.now();
    this.#advance(this.#decoded().replace(UNFINISHED, ""));
  }

  end() {
    this.#advance(this.#decoded());
  }

  #decoded() {
    const options = { skip_special_tokens: true, clean_up_tokenization_spaces: false };
    return this.tokenizer.decode(this.#ids, options);
  }

  /** @param {string} text */
  #advance(text) {
    if (!text.startsWith(this.#shown) || text.length === this.#shown.length) return;
    const fresh = text.slice(this.#shown.length);
    this.#shown = text;
    this.show(fresh, this.count);
  }
}
