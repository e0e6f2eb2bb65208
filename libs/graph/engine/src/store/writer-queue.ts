/**
 * Lets one writer at a time plan and apply, in order of arrival. Work is a generator that yields often: it
 * runs at once, in the caller's turn, for up to one slice, so that small writes never wait. Longer work
 * continues in later turns of the event loop, while reads are served and other writers wait.
 */
const SLICE_MS = 8;

/**
 * Called when work exceeds a slice, so that the state that it has read must stay; the result ends the hold.
 */
export type HoldWriters = () => () => void;

/** The gate that writers pass before they plan, if other processes write too. */
export interface WriterGate {
  /** How long a writer waits, from its arrival, until its work begins; then it gets {@link late}. */
  readonly patienceMs: number;
  late(): Error;
  /** Resolves when `enter` may succeed. Several writers wait here at once, and block no other. */
  admit(sinceMs: number): Promise<void>;
  /** Returns false if the writer has to be admitted again. */
  enter(sinceMs: number): Promise<boolean>;
  /** Called when no writer is waiting. */
  leave(): void;
}

export interface RunOptions<T> {
  /** Looks for the result in the turn, before the work, if other processes write too. */
  readonly known?: (() => Promise<T | undefined>) | undefined;
  /** When the writer came, by `performance.now()`. Default: now. */
  readonly sinceMs?: number;
}

export class WriterQueue {
  readonly #holdStill: HoldWriters;
  readonly #door: WriterGate | undefined;
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;
  /** Writers that are admitted, or are about to be. */
  #entering = 0;
  /** The end of the last work that runs alone, or waits to do so. */
  #alone: Promise<void> | undefined;
  /** Work that runs alone and has not begun, by its name. */
  readonly #next = new Map<string, Promise<void>>();
  #sliceEndsMs = 0;

  constructor(holdStill: HoldWriters, door?: WriterGate) {
    this.#holdStill = holdStill;
    this.#door = door;
  }

  async run<T>(work: () => Generator<undefined, T>, options: RunOptions<T> = {}): Promise<T> {
    if (this.#door !== undefined) return this.#runInTime(this.#door, work, options);
    if (this.#isBusy) await this.#turn();
    this.#isBusy = true;
    try {
      const result = this.inSlices(work());
      return result instanceof Promise ? await result : result;
    } finally {
      this.#passOn();
    }
  }

  /** Work that has not begun in time is not done. */
  async #runInTime<T>(
    door: WriterGate,
    work: () => Generator<undefined, T>,
    { known, sinceMs = performance.now() }: RunOptions<T>,
  ): Promise<T> {
    const late = Promise.withResolvers<never>();
    let state: 'waiting' | 'begun' | 'late' = 'waiting';
    const giveUp = (): void => {
      if (state !== 'waiting') return;
      state = 'late';
      late.reject(door.late());
    };
    const timer = setTimeout(giveUp, Math.max(0, sinceMs + door.patienceMs - performance.now()));
    const begin = (): Generator<undefined, T> => {
      if (state === 'late') throw door.late();
      state = 'begun';
      return work();
    };
    try {
      return await Promise.race([this.#runBehind(door, begin, { known, sinceMs }), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #runBehind<T>(
    door: WriterGate,
    work: () => Generator<undefined, T>,
    { known, sinceMs }: RunOptions<T> & { readonly sinceMs: number },
  ): Promise<T> {
    for (;;) {
      // Behind the gate it would keep other processes waiting for all of that work.
      if (this.#alone !== undefined) await this.#alone;
      await this.#admitted(door, sinceMs);
      if (this.#isBusy) await this.#turn();
      this.#isBusy = true;
      try {
        if (!(await door.enter(sinceMs))) continue;
        return (await known?.()) ?? (await this.inSlices(work()));
      } finally {
        this.#passOn();
      }
    }
  }

  /** Its caller goes on in the same step: until then the turn does not end. */
  async #admitted(door: WriterGate, sinceMs: number): Promise<void> {
    this.#entering++;
    try {
      await door.admit(sinceMs);
      this.#entering--;
    } catch (error) {
      this.#entering--;
      // A turn may have been kept for this writer.
      if (!this.#isBusy && this.#entering === 0) door.leave();
      throw error;
    }
  }

  /** Runs `work` while no writer plans or applies. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    const ended: PromiseWithResolvers<void> = Promise.withResolvers();
    this.#alone = ended.promise;
    if (this.#isBusy) await this.#turn();
    this.#isBusy = true;
    // Other processes do not wait for it; a writer that does is admitted again.
    this.#door?.leave();
    try {
      return await work();
    } finally {
      if (this.#alone === ended.promise) this.#alone = undefined;
      ended.resolve();
      this.#passOn();
    }
  }

  /** The same for work that has to begin after this call: calls by one name share what has not begun. */
  aloneOnce(name: string, work: () => Promise<void>): Promise<void> {
    const next = this.#next.get(name);
    if (next !== undefined) return next;
    const begin = (): Promise<void> => {
      this.#next.delete(name);
      return work();
    };
    // It must not begin before it is noted.
    const done = Promise.resolve().then(() => this.alone(begin));
    this.#next.set(name, done);
    return done;
  }

  /** Requires the turn: runs a slice at once, and the others in later turns of the event loop. */
  inSlices<T>(generator: Generator<undefined, T>): T | Promise<T> {
    this.#sliceEndsMs = performance.now() + SLICE_MS;
    const first = this.#slice(generator);
    return first.done === true ? first.value : this.#finish(generator);
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async #finish<T>(generator: Generator<undefined, T>): Promise<T> {
    const release = this.#holdStill();
    try {
      for (;;) {
        await nextTurn();
        this.#sliceEndsMs = performance.now() + SLICE_MS;
        const step = this.#slice(generator);
        if (step.done === true) return step.value;
      }
    } finally {
      release();
    }
  }

  #slice<T>(generator: Generator<undefined, T>): IteratorResult<undefined, T> {
    let step = generator.next();
    while (step.done !== true && performance.now() < this.#sliceEndsMs) step = generator.next();
    return step;
  }

  /**
   * The next writer runs in the same turn of the event loop until the slice ends, so that many writers in a
   * row do not block other work.
   */
  #passOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#isBusy = false;
      if (this.#entering === 0) this.#door?.leave();
    } else if (this.#waiting.length % WRITERS_PER_TURN === 0) setImmediate(next);
    else next();
  }
}

const WRITERS_PER_TURN = 256;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
