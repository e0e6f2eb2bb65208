/**
 * Nonces of one account that were seen, from a first one on: the next that is due, and the ranges before it
 * that are missing. An account that does right needs one number.
 */
interface Missing {
  from: number;
  /** Not itself missing. */
  to: number;
}

/**
 * What a nonce is beside those seen before: the one that is due; beyond it; one that was missing; or one that
 * was there.
 */
export type NoncePlace = 'next' | 'ahead' | 'fills' | 'again';

export class SeenNonces {
  readonly #first: number;
  #due: number;
  /** Ascending, apart from each other. */
  #missing: Missing[] = [];

  constructor(first: number) {
    this.#first = first;
    this.#due = first;
  }

  /** One beyond the highest that was seen. */
  get due(): number {
    return this.#due;
  }

  get isWhole(): boolean {
    return this.#missing.length === 0;
  }

  /** How many were seen, each counted once. */
  get count(): number {
    return this.#due - this.#first - this.#missing.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  see(nonce: number): NoncePlace {
    if (nonce === this.#due) {
      this.#due++;
      return 'next';
    }
    if (nonce > this.#due) {
      this.#missing.push({ from: this.#due, to: nonce });
      this.#due = nonce + 1;
      return 'ahead';
    }
    const at = this.#missing.findIndex(({ from, to }) => from <= nonce && nonce < to);
    if (at < 0) return 'again';
    this.#fill(at, nonce);
    return 'fills';
  }

  /** It was not there after all. */
  takeBack(nonce: number): void {
    if (nonce >= this.#due || nonce < this.#first) return;
    if (this.#missing.some(({ from, to }) => from <= nonce && nonce < to)) return;
    const before = this.#missing.filter(({ from }) => from < nonce);
    const after = this.#missing.filter(({ from }) => from > nonce);
    this.#missing = joined([...before, { from: nonce, to: nonce + 1 }, ...after]);
    this.#trim();
  }

  /** Nothing from this nonce on was there after all. */
  cut(nonce: number): void {
    if (nonce >= this.#due) return;
    this.#due = Math.max(nonce, this.#first);
    this.#missing = this.#missing
      .filter(({ from }) => from < this.#due)
      .map(({ from, to }) => ({ from, to: Math.min(to, this.#due) }));
    this.#trim();
  }

  #fill(at: number, nonce: number): void {
    const [hole] = this.#missing.splice(at, 1);
    if (hole === undefined) return;
    const halves = [
      { from: hole.from, to: nonce },
      { from: nonce + 1, to: hole.to },
    ];
    this.#missing.splice(at, 0, ...halves.filter(({ from, to }) => from < to));
  }

  /** What is missing at the end is simply due. */
  #trim(): void {
    const last = this.#missing.at(-1);
    if (last?.to !== this.#due) return;
    this.#due = last.from;
    this.#missing.pop();
  }
}

function joined(ranges: readonly Missing[]): Missing[] {
  const whole: Missing[] = [];
  for (const { from, to } of ranges) {
    const last = whole.at(-1);
    if (last?.to === from) last.to = to;
    else whole.push({ from, to });
  }
  return whole;
}
