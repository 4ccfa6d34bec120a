// The page's end of a test worker (?worker=NAME.mjs): start(), call(action, ...args), terminate().
/** @type {Worker | undefined} */
let worker;
let waiting = new Map();
let next = 1;

const expect = (id) => {
  const reply = Promise.withResolvers();
  waiting.set(id, reply);
  return reply.promise;
};

Object.assign(globalThis, {
  start() {
    worker = new Worker(new URLSearchParams(location.search).get("worker"), { type: "module" });
    worker.onmessage = ({ data: { id, result, error } }) => {
      const reply = waiting.get(id);
      waiting.delete(id);
      if (error) reply?.reject(new Error(error));
      else reply?.resolve(result);
    };
    worker.onerror = (event) => {
      for (const reply of waiting.values()) reply.reject(new Error(`worker: ${event.message}`));
    };
    return expect(0);
  },
  call(action, ...args) {
    worker.postMessage({ id: next, action, args });
    return expect(next++);
  },
  terminate() {
    worker.terminate();
    waiting = new Map();
  },
});
