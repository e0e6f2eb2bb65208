/** Where the heads of a segment's rows lie: read on the *hot path*. */
import type { Arena } from '../array/arena.ts';

export class HeadRows {
  readonly arena: Arena;
  readonly references: Uint32Array;

  constructor(arena: Arena, references: Uint32Array) {
    this.arena = arena;
    this.references = references;
  }

  bytes(row: number): Buffer {
    return this.arena.chunk(this.references[row]!);
  }

  start(row: number): number {
    return this.arena.start(this.references[row]!);
  }
}
