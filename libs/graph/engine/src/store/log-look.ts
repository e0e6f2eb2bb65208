import { DomainError, pause } from '#platform/foundation';

/** The shortest time from the begin of one look to the begin of the next. */
const SPACING_MS = 50;
/** How long no look begins after one, in times of its own; bounded, for the database may be away. */
const REST = 4;
const REST_MS_MAX = 1_000;
/** How long a request waits for a look, which may be behind long work of this process. */
const PATIENCE_MS = 5_000;

/** The store whose log is looked at. */
export interface LookedAt {
  /** `shared` is undefined where no other process writes. */
  readonly storage: { readonly shared: unknown };
  /** The last batch that is known here. */
  readonly publishedSeq: number;
  /** Takes over what others have acknowledged. */
  catchUp(): Promise<void>;
}

/**
 * Looks at the log of a shared store before something unknown is refused: another process may have written it
 * a moment ago. All requests before a look begins share it, one look runs at a time, and quick ones take at
 * most a fifth of the time: how many ask, and for what, makes no difference to the database.
 */
export class LogLook {
  readonly #store: LookedAt;
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  #restsUntilMs = 0;

  constructor(store: LookedAt) {
    this.#store = store;
  }

  /** Resolves after a look that has begun after this call. Throws STORE_UNAVAILABLE if none ends in time. */
  async taken(): Promise<void> {
    if (this.#store.storage.shared === undefined) return;
    this.#next ??= this.#take();
    const late = Promise.withResolvers<never>();
    const giveUp = (): void => late.reject(new DomainError('STORE_UNAVAILABLE', LATE));
    // After a pause of this process, an answer that has arrived meanwhile is read first.
    const timer = setTimeout(() => setImmediate(giveUp), PATIENCE_MS);
    try {
      await Promise.race([this.#next, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Looks if the batch of this number is not known here: it may be of another process. */
  async takenFor(seq: number): Promise<void> {
    if (seq > this.#store.publishedSeq) await this.taken();
  }

  #take(): Promise<void> {
    const taken = this.#last.then(async () => {
      while (performance.now() < this.#restsUntilMs)
        await pause(Math.max(0, this.#restsUntilMs - performance.now()));
      this.#next = undefined;
      await this.#timed();
    });
    this.#last = taken.catch(() => undefined);
    return taken;
  }

  async #timed(): Promise<void> {
    const beganMs = performance.now();
    try {
      await this.#store.catchUp();
    } finally {
      const endedMs = performance.now();
      const restMs = Math.min(REST * (endedMs - beganMs), REST_MS_MAX);
      this.#restsUntilMs = Math.max(beganMs + SPACING_MS, endedMs + restMs);
    }
  }
}

const LATE = 'what other nodes have written is not known yet';
