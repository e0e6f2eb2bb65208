/**
 * Links added since the base, as a linked list for each node; their versions determine visibility.
 * *Hot path*.
 */
import { Uint32List } from '../array/number-list.ts';

export class LinkLists {
  readonly #boundary: number;
  readonly #headOfBase: Uint32Array;
  readonly #headOfNew = new Uint32List();
  /** Entry 0 ends a list. */
  readonly link = new Uint32List();
  readonly next = new Uint32List();
  /** How many entries a list has from this one on. */
  readonly #length = new Uint32List();

  constructor(boundary: number) {
    this.#boundary = boundary;
    this.#headOfBase = new Uint32Array(boundary);
    this.link.push(0);
    this.next.push(0);
    this.#length.push(0);
  }

  get isEmpty(): boolean {
    return this.link.length === 1;
  }

  /** The node's first entry. */
  head(node: number): number {
    if (node < this.#boundary) return this.#headOfBase[node]!;
    const at = node - this.#boundary;
    return at < this.#headOfNew.length ? this.#headOfNew.data[at]! : 0;
  }

  /** Number of the node's entries. */
  lengthOf(node: number): number {
    return this.#length.data[this.head(node)]!;
  }

  add(node: number, link: number): void {
    const entry = this.link.push(link);
    const next = this.head(node);
    this.next.push(next);
    this.#length.push(this.#length.data[next]! + 1);
    if (node < this.#boundary) {
      this.#headOfBase[node] = entry;
      return;
    }
    while (this.#headOfNew.length <= node - this.#boundary) this.#headOfNew.push(0);
    this.#headOfNew.data[node - this.#boundary] = entry;
  }
}
