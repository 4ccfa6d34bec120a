// The service worker from the page's side: it is registered here, its first visit may reload the
// page once (for cross-origin isolation), its updates are offered and applied when the person says.

const GUARD = "cairn-isolation-reload";

/** Registers the service worker and tells when a newer build is ready. */
export class Updates {
  onready = () => {};
  /** @type {ServiceWorkerRegistration | null} */
  #registration = null;
  #touched = false;

  async register() {
    if (!navigator.serviceWorker) return;
    for (const event of ["keydown", "pointerdown", "input"]) {
      addEventListener(event, () => { this.#touched = true; }, { once: true, capture: true });
    }
    navigator.serviceWorker.addEventListener("message", ({ data }) => {
      if (data?.type === "update-ready") this.onready();
    });
    const first = !navigator.serviceWorker.controller;
    navigator.serviceWorker.addEventListener("controllerchange", () => {
      if (first) this.#isolate();
      else this.onready(); // another tab applied an update: this one is offered a reload
    }, { once: true });
    try {
      this.#registration = await navigator.serviceWorker.register("/service-worker.mjs");
    } catch (error) {
      console.warn("Cairn: it will not start without the server.", error);
      return;
    }
    if (this.#registration.waiting) this.onready();
  }

  /** Switch to the waiting build; every wait ends in a reload. */
  apply() {
    const reload = () => location.reload();
    navigator.serviceWorker?.addEventListener("controllerchange", reload);
    const waiting = this.#registration?.waiting;
    if (!waiting) return reload();
    waiting.postMessage({ type: "apply-update" });
    setTimeout(reload, 5_000);
  }

  /**
   * The headers that isolate a page (WASM threads) come from the service worker, so from the next
   * load on. Reload now, once per tab, unless the person has begun to do something.
   */
  #isolate() {
    if (crossOriginIsolated || this.#touched || sessionStorage.getItem(GUARD)) return;
    sessionStorage.setItem(GUARD, "1");
    location.reload();
  }
}
