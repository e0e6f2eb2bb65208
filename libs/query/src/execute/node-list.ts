/** Lists of nodes or links that grow. *Hot path*: every search fills some. */

const FIRST_CAPACITY = 16;

/** A growing list. */
export class NodeList {
  #items = new Uint32Array(FIRST_CAPACITY);
  length = 0;

  push(item: number): void {
    if (this.length === this.#items.length) {
      const grown = new Uint32Array(this.length * 2);
      grown.set(this.#items);
      this.#items = grown;
    }
    this.#items[this.length++] = item;
  }

  at(index: number): number {
    return this.#items[index]!;
  }

  set(index: number, item: number): void {
    this.#items[index] = item;
  }

  clear(): void {
    this.length = 0;
  }

  /** A copy of the items from `start` on. */
  toArray(start = 0): Uint32Array {
    return this.#items.slice(start, this.length);
  }
}
