// A question asked before the interface runs is kept and handed over, not lost.

const FORM = "ask-form";

/** Takes over the question form until the interface asks for what was entered. */
export class EarlyQuestion {
  #question = "";
  #ends = new AbortController();

  constructor() {
    const { signal } = this.#ends;
    document.addEventListener("submit", (event) => {
      const form = /** @type {HTMLFormElement} */ (event.target);
      if (form.id !== FORM) return;
      event.preventDefault();
      this.#question = String(new FormData(form).get("question") ?? "").trim();
      document.documentElement.dataset.queued = "yes";
    }, { signal, capture: true });
    document.addEventListener("keydown", (event) => {
      const target = /** @type {HTMLTextAreaElement} */ (event.target);
      const enter = event.key === "Enter" && !event.shiftKey && !event.isComposing;
      if (!enter || target.form?.id !== FORM || matchMedia("(pointer: coarse)").matches) return;
      event.preventDefault();
      target.form.requestSubmit();
    }, { signal, capture: true });
  }

  /** @returns {string} the question, "" when there is none; the form belongs to the interface now */
  take() {
    this.#ends.abort();
    delete document.documentElement.dataset.queued;
    return this.#question || this.#entered();
  }

  /** Enter pressed before any script ran made a new line: it was meant as asking. */
  #entered() {
    const box = /** @type {HTMLTextAreaElement | null} */ (document.querySelector(`#${FORM} textarea`));
    if (!box?.value.endsWith("\n") || matchMedia("(pointer: coarse)").matches) return "";
    return box.value.trim();
  }
}
