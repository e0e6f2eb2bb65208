const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/** Resolves with the name of the first signal. A second one ends the process at once. */
export function stopSignal(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const listener = (signal: NodeJS.Signals): void => {
    for (const name of SIGNALS) process.removeListener(name, listener);
    resolve(signal);
  };
  for (const name of SIGNALS) process.on(name, listener);
  return promise;
}
