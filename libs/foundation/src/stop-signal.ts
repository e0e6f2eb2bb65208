const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];
/** On Ctrl-C the terminal sends SIGINT, and npm sends it on: what comes so soon is the same word. */
const SAME_WORD_MS = 500;

export interface StopSignal {
  /** Resolves with the name of the first signal; rejects when {@link fail} is called before. */
  readonly promise: Promise<NodeJS.Signals>;
  fail(error: Error): void;
}

/** Waits for the word to stop. A second word ends the process at once, as if nobody listened. */
export function stopSignal(signals = SIGNALS): StopSignal {
  const { promise, resolve, reject } = Promise.withResolvers<NodeJS.Signals>();
  listenOnce(signals, resolve);
  // Met by whoever awaits the promise later on.
  promise.catch(() => undefined);
  return { promise, fail: reject };
}

/** Calls back with the first of the signals, and then leaves them alone. Gives the way to do so before. */
export function listenOnce(
  signals: readonly NodeJS.Signals[],
  onSignal: (signal: NodeJS.Signals) => void,
): () => void {
  let isHeard = false;
  const listener = (signal: NodeJS.Signals): void => {
    if (signal === 'SIGINT') setTimeout(forget, SAME_WORD_MS).unref();
    else forget();
    if (!isHeard) onSignal(signal);
    isHeard = true;
  };
  const forget = (): void => {
    for (const name of signals) process.removeListener(name, listener);
  };
  for (const name of signals) process.on(name, listener);
  return forget;
}
