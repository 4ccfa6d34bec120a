// Knowing that a worker or a tab died, also when nothing tells: browsers release a dead agent's
// Web Locks, so whoever waits for a lock that the other side holds is woken by its death. Events do
// not cover this (a worker that runs out of memory or is terminated fires none).

/**
 * Hold the lock `name` for as long as this worker or page lives.
 * @param {string} name
 * @returns {Promise<void>} resolves once it is held
 */
export function hold(name) {
  const { promise, resolve } = Promise.withResolvers();
  navigator.locks.request(name, () => {
    resolve(undefined);
    return new Promise(() => {});
  });
  return /** @type {Promise<void>} */ (promise);
}

/**
 * Call `died` when the holder of `name` is gone. Start watching only when it is known to be held.
 * @param {string} name
 * @param {() => void} died
 * @param {AbortSignal} signal ends the watch
 */
export function watch(name, died, signal) {
  navigator.locks.request(name, { signal }, () => {
    if (!signal.aborted) died();
  }).catch((error) => {
    if (error.name !== "AbortError") throw error;
  });
}
