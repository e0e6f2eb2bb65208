const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];
/**
 * On Ctrl-C the terminal sends SIGINT, and npm sends it again: a signal within this time counts as the same.
 */
const SAME_WORD_MS = 500;

/** The request to stop, by a signal or from inside the process; the first one counts. */
export class StopSignal {
  readonly #end = Promise.withResolvers<string>();
  #forget: (() => void) | undefined;
  #reason: string | undefined;

  constructor() {
    // A rejection is handled by the later awaiter, not as an unhandled one.
    this.#end.promise.catch(() => undefined);
  }

  /** Resolves with the signal's name or the reason; rejects after {@link fail}. */
  get promise(): Promise<string> {
    return this.#end.promise;
  }

  /** The value with which {@link promise} has resolved; undefined before. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Listens to signals of this process. A second signal ends the process at once, as without a listener. */
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

  /** Removes the listeners. */
  close(): void {
    this.#forget?.();
  }
}

/** Listens to the signals that end a process. */
export function stopSignal(signals = SIGNALS): StopSignal {
  return new StopSignal().listen(signals);
}

/**
 * Calls back with the first of the signals, then removes the listeners. Returns a function that removes them
 * earlier.
 */
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

/** Whether the client is gone, so that work for it is useless. Polled, like an `AbortSignal`. */
export interface HangUp {
  readonly aborted: boolean;
}
