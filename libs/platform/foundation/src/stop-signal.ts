const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];
/** On Ctrl-C the terminal sends SIGINT, and npm sends it on: what comes so soon is the same word. */
const SAME_WORD_MS = 500;

/** The word to end, by a signal or from inside; the first one counts. */
export class StopSignal {
  readonly #end = Promise.withResolvers<string>();
  #forget: (() => void) | undefined;
  #reason: string | undefined;

  constructor() {
    // Met by whoever awaits the promise later on.
    this.#end.promise.catch(() => undefined);
  }

  /** Resolves with the signal's name or the reason; rejects when {@link fail} was called before. */
  get promise(): Promise<string> {
    return this.#end.promise;
  }

  /** What {@link promise} has resolved with; undefined before. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Waits for signals of this process. A second one ends the process at once, as if nobody listened. */
  listen(signals: readonly NodeJS.Signals[] = SIGNALS): this {
    this.#forget = listenOnce(signals, (signal) => this.request(signal));
    return this;
  }

  request(reason: string): void {
    this.#reason ??= reason;
    this.#end.resolve(reason);
  }

  fail(error: unknown): void {
    this.#end.reject(error);
  }

  /** Leaves the signals alone. */
  close(): void {
    this.#forget?.();
  }
}

/** Listens to the signals that end a process. */
export function stopSignal(signals = SIGNALS): StopSignal {
  return new StopSignal().listen(signals);
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
