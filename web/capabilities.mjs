// What this browser has, asked once, frozen, passed on.

export const capabilities = Object.freeze({
  secure: globalThis.isSecureContext === true,
  isolated: globalThis.crossOriginIsolated === true,
  webassembly: typeof WebAssembly === "object",
  workers: typeof Worker === "function",
  storage: typeof navigator.storage?.getDirectory === "function" || Boolean(globalThis.indexedDB),
  locks: Boolean(navigator.locks),
  channel: typeof BroadcastChannel === "function",
  serviceWorker: Boolean(navigator.serviceWorker),
});

/** @type {[keyof typeof capabilities, string, string][]} what the engine cannot do without */
const NEEDED = [
  ["webassembly", "run WebAssembly", "Use a current browser, or allow WebAssembly in its settings."],
  ["workers", "run background workers", "Use a current Chrome, Edge, Firefox or Safari."],
  ["storage", "keep files (neither OPFS nor IndexedDB)", "Open Cairn over https or localhost, outside private mode."],
  ["locks", "share one library between tabs (Web Locks)", "Open Cairn over https or localhost."],
  ["channel", "talk between tabs (BroadcastChannel)", "Use a current Chrome, Edge, Firefox or Safari."],
];

/** @returns {{code: string, message: string, hint: string} | null} the first thing that is missing */
export function missing() {
  const found = NEEDED.find(([name]) => !capabilities[name]);
  if (!found) return null;
  const message = `This browser cannot ${found[1]} here.`;
  return { code: "storage_unavailable", message, hint: found[2] };
}
