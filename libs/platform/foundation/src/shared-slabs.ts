/** The largest item of an array is a double. */
const ALIGNMENT = 8;

/**
 * Allocates small pieces of shared memory from large buffers, since the system's huge pages need large
 * allocations (ADR 0247). Pieces cannot be freed one by one; a buffer lives as long as any of its pieces.
 */
export class SharedSlabs {
  readonly #bytesMax: number;
  #next: number;
  #slab = new SharedArrayBuffer(0);
  #used = 0;

  /** `bytesFirst`: size of the first buffer; each further one is four times as large, up to `bytesMax`. */
  constructor(bytesFirst: number, bytesMax: number) {
    this.#next = Math.min(bytesFirst, bytesMax);
    this.#bytesMax = bytesMax;
  }

  /** The buffer size that holds pieces of these sizes. */
  static roomFor(sizes: readonly number[]): number {
    return sizes.reduce((sum, bytes) => sum + aligned(bytes), 0);
  }

  /** Zeroed memory, aligned for every item type; a large piece gets a buffer of its own. */
  take(bytes: number): Uint8Array<SharedArrayBuffer> {
    const room = aligned(bytes);
    if (room > this.#bytesMax / 4) return new Uint8Array(new SharedArrayBuffer(bytes));
    if (this.#used + room > this.#slab.byteLength) this.#open(room);
    const piece = new Uint8Array(this.#slab, this.#used, bytes);
    this.#used += room;
    return piece;
  }

  #open(room: number): void {
    this.#slab = new SharedArrayBuffer(Math.max(room, this.#next));
    this.#next = Math.min(this.#bytesMax, this.#slab.byteLength * 4);
    this.#used = 0;
  }
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
