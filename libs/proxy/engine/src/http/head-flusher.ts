/** A response whose head may have to be sent alone. */
export interface Flushable {
  flush(): void;
}

/**
 * Response heads wait for the end of the turn in which they arrived, so that a body in the same turn is sent
 * with them. Hot path: one check for all of a turn.
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
