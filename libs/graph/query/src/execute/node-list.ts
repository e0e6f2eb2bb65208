/** Lists of nodes or links that grow. *Hot path*: every search fills some. */

/** As many as fit an array that V8 keeps on its heap: larger ones take a microsecond to make. */
const FIRST_CAPACITY = 16;
/** What a list keeps that is used again: 1 MB. */
const KEPT_CAPACITY = 262_144;

/** A growing list. */
export class NodeList {
  #items: Uint32Array = new Uint32Array(FIRST_CAPACITY);
  length = 0;

  /** A list of these items, which it takes over. */
  static of(items: Uint32Array): NodeList {
    const list = new NodeList();
    if (items.length > 0) list.#items = items;
    list.length = items.length;
    return list;
  }

  push(item: number): void {
    if (this.length === this.#items.length) {
      const grown = new Uint32Array(this.length * 2);
      grown.set(this.#items);
      this.#items = grown;
    }
    this.#items[this.length++] = item;
  }

  pushAll(items: Uint32Array): void {
    for (let at = 0; at < items.length; at++) this.push(items[at]!);
  }

  filter(keep: (item: number) => boolean): NodeList {
    const kept = new NodeList();
    for (let at = 0; at < this.length; at++) if (keep(this.at(at))) kept.push(this.at(at));
    return kept;
  }

  at(index: number): number {
    return this.#items[index]!;
  }

  set(index: number, item: number): void {
    this.#items[index] = item;
  }

  clear(): void {
    this.length = 0;
    if (this.#items.length > KEPT_CAPACITY) this.#items = new Uint32Array(FIRST_CAPACITY);
  }

  /** The items from `start` to that before `end`, as long as nothing is set there. */
  view(start: number, end = this.length): Uint32Array {
    return this.#items.subarray(start, end);
  }

  /** A copy of the items from `start` on. */
  toArray(start = 0): Uint32Array {
    return this.#items.slice(start, this.length);
  }
}
