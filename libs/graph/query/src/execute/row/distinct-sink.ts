import type { ExecutionContext, RowSink } from '#graph/execution';
import { WideMap, type WideKey } from '#platform/foundation';

/** Memory of a known row: its key, and its entry in a map. */
const KNOWN_BYTES = 64;

interface DistinctShape {
  /** Slots that distinguish rows. */
  readonly visible: number;
  /** The slot of the start, one of these: its rows follow each other. */
  readonly startSlot: number;
}

/** Passes each distinct row on once, and knows only the rows of one start at a time. *Hot path*. */
export class DistinctSink implements RowSink {
  readonly #context: ExecutionContext;
  readonly #shape: DistinctShape;
  readonly #inner: RowSink;
  #start: number | undefined;
  #known = new WideMap<true>();
  #size = 0;
  /** The most rows of a start so far, for which memory is held. */
  #most = 0;

  constructor(context: ExecutionContext, shape: DistinctShape, inner: RowSink) {
    this.#context = context;
    this.#shape = shape;
    this.#inner = inner;
  }

  get rows(): number {
    return this.#inner.rows;
  }

  add(row: Uint32Array, weight: number): boolean {
    const start = row[this.#shape.startSlot];
    if (start !== this.#start) {
      this.#start = start;
      this.#known = new WideMap();
      this.#size = 0;
    }
    const key = this.#keyOf(row);
    if (this.#known.get(key) !== undefined) return false;
    this.#known.add(key, true);
    if (++this.#size > this.#most) {
      this.#most = this.#size;
      this.#context.hold(KNOWN_BYTES);
    }
    return this.#inner.add(row, weight);
  }

  rest(): Generator<void, void> | undefined {
    return this.#inner.rest?.();
  }

  /** The number of the only other slot, or all of them as a text. */
  #keyOf(row: Uint32Array): WideKey {
    const { visible, startSlot } = this.#shape;
    if (visible === 2) return row[1 - startSlot] ?? 0;
    return visible === 1 ? 0 : row.subarray(0, visible).join();
  }
}
