// "Start without the kept app": works when the app itself does not. Asks the server first: without it
// nothing is forgotten.
import { forgetApp } from "/keeping.mjs";
import { words } from "/words.mjs";

document.getElementById("fresh")?.addEventListener("click", async () => {
  const said = /** @type {HTMLElement} */ (document.getElementById("said"));
  // The service worker passes a request with this header on to the network.
  const asked = { cache: /** @type {const} */ ("no-store"), headers: { "x-cairn-fresh": "1" } };
  const there = await fetch("/precache.json", asked).then((response) => response.ok, () => false);
  if (!there) {
    said.textContent = (await words())["repair.offline"];
    return;
  }
  await forgetApp();
  location.replace("/");
});
