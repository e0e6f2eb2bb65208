/**
 * A set of nodes that is emptied in no time: a node is in it when its stamp is the current epoch. *Hot
 * path*: one load and one compare for each link that a search touches.
 */
export class NodeMarks {
  readonly #stamps: Uint32Array;
  #notes: Uint32Array | undefined;
  #epoch = 0;

  constructor(bound: number) {
    this.#stamps = new Uint32Array(bound);
  }

  get bound(): number {
    return this.#stamps.length;
  }

  clear(): void {
    this.#epoch++;
    if (this.#epoch > 0xffff_fffe) {
      this.#stamps.fill(0);
      this.#epoch = 1;
    }
  }

  has(node: number): boolean {
    return this.#stamps[node] === this.#epoch;
  }

  /** Whether the node was not there before. */
  add(node: number): boolean {
    if (this.#stamps[node] === this.#epoch) return false;
    this.#stamps[node] = this.#epoch;
    return true;
  }

  /** Puts a number beside a node that is in the set. */
  note(node: number, value: number): void {
    this.#notes ??= new Uint32Array(this.#stamps.length);
    this.#notes[node] = value;
  }

  noteOf(node: number): number {
    return this.#notes?.[node] ?? 0;
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
