/** Ends what its client does not end in time. One timer serves all: most end by themselves, long before. */

/** Something that ends at a moment of `performance.now()`. */
export interface Expiring {
  readonly expiresMs: number;
  expire(): void;
}

export class Expiry {
  readonly #waiting = new Set<Expiring>();
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Infinity;

  /** Calls `expire` when its time has come, unless it is deleted before. */
  add(expiring: Expiring): void {
    this.#waiting.add(expiring);
    if (expiring.expiresMs < this.#dueMs) this.#arm(expiring.expiresMs);
  }

  delete(expiring: Expiring): void {
    this.#waiting.delete(expiring);
  }

  #arm(dueMs: number): void {
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(
      () => this.#expireDue(),
      Math.max(0, Math.ceil(dueMs - performance.now())),
    ).unref();
  }

  #expireDue(): void {
    this.#dueMs = Infinity;
    let nextMs = Infinity;
    const nowMs = performance.now();
    for (const expiring of [...this.#waiting]) {
      if (expiring.expiresMs > nowMs) nextMs = Math.min(nextMs, expiring.expiresMs);
      else if (this.#waiting.delete(expiring)) expiring.expire();
    }
    // What `expire` has added may have armed it already.
    if (nextMs < this.#dueMs) this.#arm(nextMs);
  }
}
