/**
 * The seen nonces of one account, from a first one on: the next expected nonce, and the missing ranges before
 * it. An account without gaps needs one number.
 */
interface Missing {
  from: number;
  /** First nonce after the range, which is not missing. */
  to: number;
}

/**
 * A nonce relative to those seen before: the expected one, above it, a missing one, or one seen already.
 */
export type NoncePlace = 'next' | 'ahead' | 'fills' | 'again';

export class SeenNonces {
  readonly #first: number;
  #due: number;
  /** Ascending and not adjacent. */
  #missing: Missing[] = [];

  constructor(first: number) {
    this.#first = first;
    this.#due = first;
  }

  /** The highest seen nonce + 1. */
  get due(): number {
    return this.#due;
  }

  get isWhole(): boolean {
    return this.#missing.length === 0;
  }

  /** Number of distinct nonces seen. */
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

  /** Removes a seen nonce. */
  takeBack(nonce: number): void {
    if (nonce >= this.#due || nonce < this.#first) return;
    if (this.#missing.some(({ from, to }) => from <= nonce && nonce < to)) return;
    const before = this.#missing.filter(({ from }) => from < nonce);
    const after = this.#missing.filter(({ from }) => from > nonce);
    this.#missing = joined([...before, { from: nonce, to: nonce + 1 }, ...after]);
    this.#trim();
  }

  /** Removes all nonces from this one on. */
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

  /** A missing range at the end is not kept: its first nonce becomes the expected one. */
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
