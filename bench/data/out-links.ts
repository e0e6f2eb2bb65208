import type { Dataset } from './dataset.ts';

/** Outgoing links by entity, with plain searches: the reference for every target's answers. */
export class OutLinks {
  readonly #offsets: Uint32Array;
  readonly #to: Uint32Array;
  /** The search that last reached an entity, and the entities reached by the current one, nearest first. */
  readonly #marks: Uint32Array;
  readonly #queue: Uint32Array;
  #search = 0;
  #queued = 0;
  #expanded = 0;

  constructor(data: Dataset) {
    const { count, from, to } = data.links;
    this.#offsets = new Uint32Array(data.entityCount + 1);
    this.#to = new Uint32Array(count);
    this.#marks = new Uint32Array(data.entityCount);
    this.#queue = new Uint32Array(data.entityCount);
    for (const entity of from) this.#offsets[entity + 1] = (this.#offsets[entity + 1] ?? 0) + 1;
    for (let at = 1; at < this.#offsets.length; at++) {
      this.#offsets[at] = (this.#offsets[at] ?? 0) + (this.#offsets[at - 1] ?? 0);
    }
    const next = this.#offsets.slice();
    for (let link = 0; link < count; link++) {
      const entity = from[link] ?? 0;
      const slot = next[entity] ?? 0;
      this.#to[slot] = to[link] ?? 0;
      next[entity] = slot + 1;
    }
  }

  /** The number of entities within 1, 2, … `depth` hops of the start, without the start. */
  reachedWithin(start: number, depth: number): number[] {
    this.#begin(start);
    const reached: number[] = [];
    for (let hop = 1; hop <= depth; hop++) {
      this.#advance();
      reached.push(this.#queued - 1);
    }
    return reached;
  }

  /** The least number of hops from one entity to another, −1 when there is no path. */
  hops(from: number, to: number): number {
    this.#begin(from);
    for (let hop = 0; this.#expanded < this.#queued; hop++) {
      if (this.#marks[to] === this.#search) return hop;
      this.#advance();
    }
    return -1;
  }

  #begin(start: number): void {
    this.#search++;
    this.#expanded = 0;
    this.#queued = 0;
    this.#visit(start);
  }

  /** Expands one complete level. */
  #advance(): void {
    const level = this.#queued;
    for (; this.#expanded < level; this.#expanded++) {
      const entity = this.#queue[this.#expanded] ?? 0;
      const end = this.#offsets[entity + 1] ?? 0;
      for (let at = this.#offsets[entity] ?? 0; at < end; at++) this.#visit(this.#to[at] ?? 0);
    }
  }

  #visit(entity: number): void {
    if (this.#marks[entity] === this.#search) return;
    this.#marks[entity] = this.#search;
    this.#queue[this.#queued++] = entity;
  }
}
