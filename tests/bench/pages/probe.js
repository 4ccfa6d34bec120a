// Runs in the app's page before anything of the app: notes when things happen, in milliseconds since
// the navigation began, and speaks JSON-RPC to the engine beside the interface.
(() => {
  /** @type {Record<string, number>} */
  const seen = {};
  const mark = (name) => { seen[name] ??= performance.now(); };
  const question = ({ target }) => target instanceof Element && target.id === "question";

  addEventListener("focusin", (event) => question(event) && mark("focused"), true);
  addEventListener("input", (event) => question(event) && mark("typed"), true);
  const shown = { quotes: ".quotes:not([hidden])", written: ".written:not([hidden])" };
  new MutationObserver(() => {
    if (document.activeElement?.id === "question") mark("focused");
    if (document.documentElement?.dataset.page === "ready") mark("interface");
    for (const [name, selector] of Object.entries(shown)) {
      if (!(name in seen) && document.querySelector(selector)) mark(name);
    }
  }).observe(document, { subtree: true, childList: true, attributes: true });

  /** @type {Map<string, {events: object[], resolve: (reply: object) => void}>} */
  const waiting = new Map();
  let next = 0;

  /** @param {string} text */
  function hear(text) {
    const message = JSON.parse(text);
    if (message.method === "engine.started") mark("engine");
    if (message.method === "ask.event") {
      waiting.get(message.params.request)?.events.push({ at: performance.now(), ...message.params });
    } else if (waiting.has(message.id)) {
      const { events, resolve } = waiting.get(message.id);
      waiting.delete(message.id);
      resolve({ ...message, events, ended: performance.now() });
    }
  }

  /** @param {string} method @param {object} params */
  function request(method, params) {
    const id = `bench-${next++}`;
    return new Promise((resolve) => {
      const began = performance.now();
      waiting.set(id, { events: [], resolve: (reply) => resolve({ began, ...reply }) });
      globalThis.cairn.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  let link;
  Object.defineProperty(globalThis, "cairn", {
    configurable: true,
    get: () => link,
    set(value) {
      const listen = value.listen.bind(value);
      value.listen = (receive) => listen((text) => {
        hear(text);
        receive(text);
      });
      link = value;
    },
  });
  Object.assign(globalThis, { bench: { seen, request } });
})();
