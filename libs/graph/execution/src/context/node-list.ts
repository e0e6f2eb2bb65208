/** Growing lists of nodes or links. *Hot path*: every search fills some. */

/** The largest array that V8 keeps on its heap: allocating a larger one takes a microsecond. */
const FIRST_CAPACITY = 16;
/** Memory kept by a reused list: 1 MB. */
const KEPT_CAPACITY = 262_144;

/** A growing list. */
export class NodeList {
  #items: Uint32Array = new Uint32Array(FIRST_CAPACITY);
  length = 0;

  /** A list that takes ownership of these items. */
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

  /** A view of the items from `start` up to but excluding `end`, valid until one of them is set. */
  view(start: number, end = this.length): Uint32Array {
    return this.#items.subarray(start, end);
  }

  /** A copy of the items from `start` on. */
  toArray(start = 0): Uint32Array {
    return this.#items.slice(start, this.length);
  }
}
