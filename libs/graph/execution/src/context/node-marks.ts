/** Pooled sets of nodes that are cheap to clear. *Hot path*. */
import { NodeList } from './node-list.ts';

/** Up to this many words are cleared one by one; above, all at once. */
const LISTED_MAX = 1_024;

/**
 * A bitmap of nodes, which stays in the processor's cache where a number per node would not: one load for
 * each link touched by a search.
 */
export class NodeMarks {
  readonly bound: number;
  readonly #words: Uint32Array;
  /** Indices of non-zero words, up to the capacity. */
  readonly #listed = new Uint32Array(LISTED_MAX);
  #used = 0;
  /** Lists for callers that discover nodes and the links to them. Cleared with the set. */
  readonly nodes = new NodeList();
  readonly links = new NodeList();
  #notes: Float64Array | undefined;

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

  /** Adds a node; returns whether it is new. */
  add(node: number): boolean {
    const at = node >>> 5;
    const word = this.#words[at]!;
    const bit = 1 << (node & 31);
    if ((word & bit) !== 0) return false;
    if (word === 0) this.#list(at);
    this.#words[at] = word | bit;
    return true;
  }

  /** Stores a number for a node. */
  note(node: number, value: number): void {
    this.#notes ??= new Float64Array(this.bound);
    this.#notes[node] = value;
  }

  noteOf(node: number): number {
    return this.#notes?.[node] ?? 0;
  }

  forgetNotes(): void {
    this.#notes = undefined;
  }

  #list(word: number): void {
    if (this.#used < LISTED_MAX) this.#listed[this.#used] = word;
    this.#used++;
  }
}

const KEPT_MAX = 8;
/** Numbers of more nodes take more than 8 MB, and are not kept. */
const KEPT_NOTES_MAX = 1_048_576;

/** A pool of marks, so that a small query does not allocate an array of the graph's size. */
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
    if (this.#free.length >= KEPT_MAX) return;
    if (marks.bound > KEPT_NOTES_MAX) marks.forgetNotes();
    this.#free.push(marks);
  }
}

/** Spare capacity, so that a growing graph does not need new marks for each query. */
function roundUp(bound: number): number {
  return Math.ceil((bound * 1.125 + 1_024) / 1_024) * 1_024;
}
