/**
 * Lets one writer at a time plan and apply, in the order they came. Work is a generator that yields often: it
 * runs at once, in the caller's turn, for as long as a slice lasts, so that small writes never wait; longer
 * work goes on in later turns of the event loop while reads are served and other writers wait.
 */
const SLICE_MS = 8;

/** Told when work outlasts a slice, so that what it saw must stay as it is; called back when it is over. */
export type HoldStill = () => () => void;

export class WriterQueue {
  readonly #holdStill: HoldStill;
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;
  #sliceEndsMs = 0;

  constructor(holdStill: HoldStill) {
    this.#holdStill = holdStill;
  }

  async run<T>(work: () => Generator<undefined, T>): Promise<T> {
    if (this.#isBusy) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isBusy = true;
    try {
      const generator = work();
      this.#sliceEndsMs = performance.now() + SLICE_MS;
      const first = this.#slice(generator);
      return first.done === true ? first.value : await this.#finish(generator);
    } finally {
      this.#passOn();
    }
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
   * The next writer has its turn in this one while the slice lasts; a long row of them lets others in
   * between.
   */
  #passOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isBusy = false;
    else if (this.#waiting.length % WRITERS_PER_TURN === 0) setImmediate(next);
    else next();
  }
}

const WRITERS_PER_TURN = 256;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
