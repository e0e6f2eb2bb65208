/** A message and the block that it made. */
export interface MatchedBlock {
  readonly sequence: number;
  readonly blockNumber: number;
}

/**
 * The pairs of messages and blocks found so far. Sequence numbers and block numbers rise together, by one
 * each where nothing is missing, so the pairs around a message say which block it can have made.
 */
export class MatchedBlocks {
  /** Sorted by block number. */
  readonly #pairs: MatchedBlock[] = [];

  get last(): MatchedBlock | undefined {
    return this.#pairs.at(-1);
  }

  add(pair: MatchedBlock): void {
    const last = this.#pairs.at(-1);
    if (last === undefined || last.blockNumber < pair.blockNumber) this.#pairs.push(pair);
    else if (last.blockNumber === pair.blockNumber) this.#pairs.splice(-1, 1, pair);
    else this.#pairs.splice(this.#firstFrom('blockNumber', pair.blockNumber), 0, pair);
  }

  /** The sequence number of a block, counted from its neighbours; undefined without any. */
  sequenceOf(blockNumber: number): number | undefined {
    const pair = this.#neighbour('blockNumber', blockNumber);
    return pair === undefined ? undefined : pair.sequence + blockNumber - pair.blockNumber;
  }

  /** The block number of a message, counted from its neighbours; undefined without any. */
  blockOf(sequence: number): number | undefined {
    const pair = this.#neighbour('sequence', sequence);
    return pair === undefined ? undefined : pair.blockNumber + sequence - pair.sequence;
  }

  #neighbour(by: keyof MatchedBlock, value: number): MatchedBlock | undefined {
    const at = this.#firstFrom(by, value);
    return this.#pairs[at]?.[by] === value ? this.#pairs[at] : (this.#pairs[at - 1] ?? this.#pairs[at]);
  }

  /** The position of the first pair that is not below the value. */
  #firstFrom(by: keyof MatchedBlock, value: number): number {
    let low = 0;
    let high = this.#pairs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#pairs[middle]?.[by] ?? Infinity) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
