/** What may have to be sent alone. */
export interface Flushable {
  flush(): void;
}

/**
 * Heads of answers wait for the rest of the turn in which they came, so that a body that follows at once
 * leaves with them. Hot path: one look for all of a turn.
 */
export class HeadFlusher {
  #waiting: Flushable[] = [];

  add(head: Flushable): void {
    if (this.#waiting.push(head) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const head of waiting) head.flush();
  }
}
