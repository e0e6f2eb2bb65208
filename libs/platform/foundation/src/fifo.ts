const SLACK = 1_024;

/** A queue whose removal does not move the remaining items. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  /** Undefined when the queue is empty. */
  get first(): T | undefined {
    return this.#items[this.#head];
  }

  /** All items, in order. */
  *entries(): Generator<T> {
    for (let at = this.#head; at < this.#items.length; at++) {
      const item = this.#items[at];
      if (item !== undefined) yield item;
    }
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (this.#head === this.#items.length) return undefined;
    this.#items[this.#head++] = undefined;
    if (this.#head > SLACK && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
