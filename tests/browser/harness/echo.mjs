// A worker that does what a test asks: answers, is slow, stays silent, dies, throws.
import { CairnError } from "/workers/errors.mjs";
import { Transferred } from "/workers/rpc.mjs";
import { breathe, serve } from "/workers/serve.mjs";

let served = 0;
const server = serve({
  "embed.load": (params) => ({ params, served: ++served }),
  "embed.run": async ({ texts }, signal) => {
    const vectors = new Float32Array(texts.length).fill(0.5);
    const [what] = texts;
    if (what === "die") close();
    if (what === "throw") setTimeout(() => { throw new Error("outside of any request"); });
    if (what === "refuse") throw new CairnError("model_unavailable", "No.", { hint: "Later." });
    if (what === "die" || what === "throw" || what === "silence") return new Promise(() => {});
    if (what === "slow") {
      for (;;) {
        await breathe();
        signal.throwIfAborted();
      }
    }
    if (what === "busy") {
      for (let left = 4; left > 0; left--) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        server.notify("embed.progress", { phase: "start", done: 4 - left, total: 4 });
      }
    }
    return new Transferred({ vectors: vectors.buffer, dimensions: 1 }, [vectors.buffer]);
  },
});
