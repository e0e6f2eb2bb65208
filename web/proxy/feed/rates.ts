interface Reading {
  readonly total: number;
  readonly atMs: number;
}

/** Rates of counters by key, from one reading to the next. */
export class Rates {
  readonly #readings = new Map<string, Reading>();
  readonly #rates = new Map<string, number>();

  /** Undefined after fewer than two readings, and after a counter reset. */
  of(key: string): number | undefined {
    return this.#rates.get(key);
  }

  note(key: string, total: number, atMs: number): void {
    const before = this.#readings.get(key);
    this.#readings.set(key, { total, atMs });
    if (before === undefined || total < before.total) this.#rates.delete(key);
    else if (atMs > before.atMs)
      this.#rates.set(key, ((total - before.total) * 1_000) / (atMs - before.atMs));
  }
}
