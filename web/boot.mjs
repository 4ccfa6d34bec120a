// First script of the app page: starts the engine before PyScript is up and gives the interface
// `globalThis.cairn`. What the engine says, and what the person asks, before the interface listens is
// kept. Messages are JSON text, so that MicroPython needs no conversion.
// Named here although only deeper modules use them: all are fetched at once, not level by level.
import "../workers/lifeline.mjs";
import "../workers/rpc.mjs";
import "./engine-worker.mjs";
import "./link.mjs";
import "./owner.mjs";
import { capabilities } from "./capabilities.mjs";
import { connect } from "./connection.mjs";
import { EarlyQuestion } from "./early-question.mjs";
import { ChosenFiles } from "./chosen-files.mjs";
import { dropZone } from "./drop-zone.mjs";
import { clearRequests, eraseAll, keptInCaches, persist, requests } from "./keeping.mjs";
import { Updates } from "./updates.mjs";
import { watchPage } from "./watchdog.mjs";

watchPage();

/** @typedef {(text: string) => void} Told */

const connection = connect();
const updates = new Updates();
const early = new EarlyQuestion();
const files = new ChosenFiles(connection, (event) => cairn.onfiles(JSON.stringify(event)));
dropZone((chosen) => files.add(chosen));

/** @type {string[]} said before the interface listened */
const kept = [];
/** @type {((text: string) => void) | null} */
let listener = null;
let updateReady = false;

connection.listen((text) => (listener ? listener(text) : kept.push(text)));
connection.onrole = (role) => cairn.onrole(role);
updates.onready = () => {
  updateReady = true;
  cairn.onupdate();
};

const cairn = {
  capabilities,
  /** @type {(role: string) => void} set by the interface */
  onrole: () => {},
  onupdate: () => {},
  /** @type {(text: string) => void} hears of files that are added, see chosen-files.mjs */
  onfiles: () => {},
  /** Ask the person for files. */
  chooseFiles: () => files.choose(),
  /** Ask for the person's own documents. @param {string} collection "" the first @param {boolean} folder */
  chooseDocuments: (collection, folder) => files.chooseDocuments(collection, folder),
  /** @param {string} key of files that must be chosen again */
  reopenFiles: (key) => files.reopen(key),
  /** @param {string} key of files that are not needed any more */
  forgetFiles: (key) => files.forget(key),
  /** "starting", "owner", "attached" (works through another tab), "released" (taken over), "failed" */
  get role() {
    return connection.role;
  },
  get updateReady() {
    return updateReady;
  },
  /** @param {string} text */
  send: (text) => connection.send(text),
  /** @param {(text: string) => void} receive gets everything said so far, then everything to come */
  listen(receive) {
    listener = receive;
    for (const text of kept.splice(0)) receive(text);
    if (updateReady) cairn.onupdate();
  },
  /** @param {(text: string) => void} receive */
  set onmessage(receive) {
    cairn.listen(receive);
  },
  takeQueuedQuestion: () => early.take(),
  takeOver: () => connection.takeOver(),
  applyUpdate: () => updates.apply(),
  // For the Settings room; what is told is JSON text.
  kept: async (/** @type {Told} */ told) => told(JSON.stringify(await keptInCaches())),
  requests: async (/** @type {Told} */ told) => told(JSON.stringify(await requests())),
  clearRequests: async (/** @type {Told} */ told) => {
    await clearRequests();
    told("[]");
  },
  persist: async (/** @type {(granted: boolean) => void} */ told) => told(await persist()),
  /** Remove everything that Cairn keeps in this browser, then start as on the first day. */
  erase: async () => {
    await connection.close();
    await eraseAll();
    location.replace("/");
  },
};
Object.assign(globalThis, { cairn });

// After the page has loaded, so that precaching does not compete with the first paint.
if (document.readyState === "complete") void updates.register();
else addEventListener("load", () => void updates.register());
