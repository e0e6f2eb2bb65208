const US_PER_S = 1_000_000;
/** Edges say how far they are once a second: a shorter time shows their words, not the rate. */
const WINDOW_US_MIN = 4 * US_PER_S;
const WINDOW_US_MAX = 60 * US_PER_S;

interface Sample {
  readonly atUs: number;
  readonly sent: number;
}

/** How much was sent a second, from what was known at the questions before. */
export class SentRate {
  #runId = '';
  #samples: Sample[] = [];

  /** 0 until two questions lie far enough apart. */
  of(runId: string, sent: number, nowUs: number): number {
    if (runId !== this.#runId) this.#samples = [];
    this.#runId = runId;
    this.#samples = this.#samples.filter(({ atUs }) => nowUs - atUs <= WINDOW_US_MAX);
    const before = this.#samples.findLast(({ atUs }) => nowUs - atUs >= WINDOW_US_MIN);
    this.#samples.push({ atUs: nowUs, sent });
    return before === undefined ? 0 : Math.max(0, sent - before.sent) / ((nowUs - before.atUs) / US_PER_S);
  }
}
