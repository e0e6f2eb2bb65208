/**
 * The compressed heads of a segment's rows (ADR 0229), and their ids, which are readable without decoding.
 * *Hot path*.
 */
import type { Arena } from '../array/arena.ts';
import type { HeadWindow } from '../head/head-window.ts';
import { idText } from '../name/id-index.ts';

export class HeadRows {
  readonly arena: Arena;
  readonly references: Uint32Array;
  /** Four words for each row. */
  readonly ids: Uint32Array;
  readonly #window: HeadWindow;

  constructor(arena: Arena, references: Uint32Array, ids: Uint32Array, window: HeadWindow) {
    this.arena = arena;
    this.references = references;
    this.ids = ids;
    this.#window = window;
  }

  /** Valid until the next head of the type is read. */
  read(row: number): HeadWindow {
    return this.#window.read(this.arena, this.references[row]!, this.ids, row * 4);
  }

  /** Like `read`, without the id; of a longer head, at least the first `length` bytes. */
  readBody(row: number, length?: number): HeadWindow {
    return this.#window.readBody(this.arena, this.references[row]!, length);
  }

  id(row: number): string {
    return idText(this.ids, row * 4);
  }
}
