// A queue of asynchronous work: each piece begins when the one before it has ended, well or not.

/** @returns {<T>(work: () => Promise<T>) => Promise<T>} */
export function oneAtATime() {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}
