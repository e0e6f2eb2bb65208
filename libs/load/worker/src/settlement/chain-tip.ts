/** Maximum depth of a traceable reorganisation. */
export const REMEMBERED_BLOCKS = 32;

interface ChainBlock {
  readonly number: number;
  readonly hash: string;
}

/**
 * The last blocks read, each the child of the previous one. The first of all is the start of the run.
 */
export class ChainTip {
  readonly #start: number;
  #blocks: ChainBlock[];
  #next: number;

  constructor(start: ChainBlock) {
    this.#start = start.number;
    this.#blocks = [start];
    this.#next = start.number + 1;
  }

  /** The number of the next block. */
  get next(): number {
    return this.#next;
  }

  get last(): ChainBlock | undefined {
    return this.#blocks.at(-1);
  }

  /** Whether a block is the child of the last one; its parent is not checked after a skipped block. */
  joins({ number, parentHash }: { readonly number: number; readonly parentHash: string }): boolean {
    return number === this.#next && (this.last === undefined || this.last.hash === parentHash);
  }

  add({ number, hash }: ChainBlock): void {
    this.#blocks.push({ number, hash });
    if (this.#blocks.length > REMEMBERED_BLOCKS) this.#blocks.shift();
    this.#next = number + 1;
  }

  /** Removes the last block. False if no earlier block is known: at the start, or the oldest one. */
  removeLast(): boolean {
    const last = this.#blocks.pop();
    if (last === undefined) return false;
    if (last.number !== this.#start) this.#next = last.number;
    return last.number !== this.#start && this.#blocks.length > 0;
  }

  /** Skips the next block. */
  leaveOut(): void {
    this.#blocks = [];
    this.#next++;
  }
}
