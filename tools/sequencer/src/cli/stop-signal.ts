const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/** Resolves with the first word to stop. A second one ends the process at once, as if nobody listened. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const listener = (signal: NodeJS.Signals): void => {
      for (const name of SIGNALS) process.removeListener(name, listener);
      resolve(signal);
    };
    for (const name of SIGNALS) process.on(name, listener);
  });
}
