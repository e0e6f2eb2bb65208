/** Sets of nodes that are emptied in no time, and lent to one search after another. *Hot path*. */
import { NodeList } from './node-list.ts';

/** So many words are emptied one by one; beyond, all of them at once. */
const LISTED_MAX = 1_024;

/**
 * A set of nodes as bits, which stay in the processor's cache where a number for each node would not: one
 * load for each link that a search touches.
 */
export class NodeMarks {
  readonly bound: number;
  readonly #words: Uint32Array;
  /** Words that are not empty, as far as there is room for them. */
  readonly #listed = new Uint32Array(LISTED_MAX);
  #used = 0;
  /** Room for who finds nodes, and links to them, one after another. Empty with the set. */
  readonly nodes = new NodeList();
  readonly links = new NodeList();
  #notes: Uint32Array | undefined;

  /** Empty, for nodes below `bound`. */
  constructor(bound: number) {
    this.bound = bound;
    this.#words = new Uint32Array((bound + 31) >>> 5);
  }

  clear(): void {
    if (this.#used > LISTED_MAX) this.#words.fill(0);
    else for (let at = 0; at < this.#used; at++) this.#words[this.#listed[at]!] = 0;
    this.#used = 0;
    this.nodes.clear();
    this.links.clear();
  }

  has(node: number): boolean {
    return ((this.#words[node >>> 5]! >>> (node & 31)) & 1) === 1;
  }

  /** Whether the node was not there before. */
  add(node: number): boolean {
    const at = node >>> 5;
    const word = this.#words[at]!;
    const bit = 1 << (node & 31);
    if ((word & bit) !== 0) return false;
    if (word === 0) this.#list(at);
    this.#words[at] = word | bit;
    return true;
  }

  /** Puts a number beside a node that is in the set. */
  note(node: number, value: number): void {
    this.#notes ??= new Uint32Array(this.bound);
    this.#notes[node] = value;
  }

  noteOf(node: number): number {
    return this.#notes?.[node] ?? 0;
  }

  #list(word: number): void {
    if (this.#used < LISTED_MAX) this.#listed[this.#used] = word;
    this.#used++;
  }
}

const KEPT_MAX = 8;

/** Lends marks, so that a small query does not pay for an array as long as the graph. */
export class MarkPool {
  readonly #free: NodeMarks[] = [];

  /** Empty marks for nodes below `bound`. */
  take(bound: number): NodeMarks {
    const marks = this.#free.pop();
    const fitting = marks !== undefined && marks.bound >= bound ? marks : new NodeMarks(roundUp(bound));
    fitting.clear();
    return fitting;
  }

  give(marks: NodeMarks): void {
    if (this.#free.length < KEPT_MAX) this.#free.push(marks);
  }
}

/** Some room, so that a growing graph does not need new marks for each query. */
function roundUp(bound: number): number {
  return Math.ceil((bound * 1.125 + 1_024) / 1_024) * 1_024;
}
