const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

export interface StopSignal {
  /** Resolves with the name of the first signal; rejects when {@link fail} is called before. */
  readonly promise: Promise<string>;
  fail(error: Error): void;
}

/** Waits for the word to stop. A second signal ends the process at once, as if nobody listened. */
export function stopSignal(): StopSignal {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const listener = (signal: NodeJS.Signals): void => {
    for (const name of SIGNALS) process.removeListener(name, listener);
    resolve(signal);
  };
  for (const name of SIGNALS) process.on(name, listener);
  // Met by whoever awaits the promise later on.
  promise.catch(() => undefined);
  return { promise, fail: reject };
}
