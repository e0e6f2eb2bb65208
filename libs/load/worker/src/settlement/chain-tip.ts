/** How far back a reorganisation can be followed. */
export const REMEMBERED_BLOCKS = 32;

interface ChainBlock {
  readonly number: number;
  readonly hash: string;
}

/**
 * The last blocks that were read, each the child of the one before. The first of all is where the run
 * began.
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

  /** The number of the block that is read next. */
  get next(): number {
    return this.#next;
  }

  get last(): ChainBlock | undefined {
    return this.#blocks.at(-1);
  }

  /** Whether a block is the child of the last one. After one that was left out nobody knows. */
  joins({ number, parentHash }: { readonly number: number; readonly parentHash: string }): boolean {
    return number === this.#next && (this.last === undefined || this.last.hash === parentHash);
  }

  add({ number, hash }: ChainBlock): void {
    this.#blocks.push({ number, hash });
    if (this.#blocks.length > REMEMBERED_BLOCKS) this.#blocks.shift();
    this.#next = number + 1;
  }

  /** It stands no more. False when there is nothing before it that is known: the start, or the oldest. */
  removeLast(): boolean {
    const last = this.#blocks.pop();
    if (last === undefined) return false;
    if (last.number !== this.#start) this.#next = last.number;
    return last.number !== this.#start && this.#blocks.length > 0;
  }

  /** The next one cannot be read. */
  leaveOut(): void {
    this.#blocks = [];
    this.#next++;
  }
}
