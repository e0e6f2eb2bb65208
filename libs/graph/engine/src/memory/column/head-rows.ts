/**
 * The heads of a segment's rows, compressed (ADR 0229), and their ids, which nothing has to be decoded for.
 * *Hot path*.
 */
import type { Arena } from '../array/arena.ts';
import type { HeadWindow } from '../head/head-window.ts';
import { idText } from '../name/id-index.ts';

export class HeadRows {
  readonly arena: Arena;
  readonly references: Uint32Array;
  /** Four words a row. */
  readonly ids: Uint32Array;
  readonly #window: HeadWindow;

  constructor(arena: Arena, references: Uint32Array, ids: Uint32Array, window: HeadWindow) {
    this.arena = arena;
    this.references = references;
    this.ids = ids;
    this.#window = window;
  }

  /** Until the next head of the type is read. */
  read(row: number): HeadWindow {
    return this.#window.read(this.arena, this.references[row]!, this.ids, row * 4);
  }

  /** The same without its id; of a long one at least the first `length` bytes. */
  readBody(row: number, length?: number): HeadWindow {
    return this.#window.readBody(this.arena, this.references[row]!, length);
  }

  id(row: number): string {
    return idText(this.ids, row * 4);
  }
}
