/**
 * Hot path: the transactions of a block in columns: one buffer for the signed transactions, one for their
 * senders, arrays for receipt fields. A million transactions need a third of a gigabyte; objects are created
 * on request.
 */
import {
  blockMetadataOf,
  type DecodedTransaction,
  parseTransaction,
  type TransactionEnvelope,
} from '#load/chain';
import type { ExecutionResult } from './execution.ts';

/** One transaction of a block with its receipt fields. */
export interface BlockEntry extends ExecutionResult {
  readonly index: number;
  readonly envelope: TransactionEnvelope;
  readonly sender: Uint8Array;
}

export interface SequencedTransaction {
  readonly transaction: DecodedTransaction;
  readonly outcome: ExecutionResult;
  /** What the block's metadata state. */
  readonly isTimeboosted?: boolean;
}

const ADDRESS_BYTES = 20;

export class BlockColumns {
  readonly length: number;
  /** The signed transactions, concatenated. */
  readonly raws: Uint8Array;
  readonly gasUsedByAll: number;
  /** A bit for each transaction: whether it came by the express lane. */
  readonly metadata: Uint8Array;
  readonly #ends: Uint32Array;
  readonly #senders: Uint8Array;
  readonly #gasUsed: Uint32Array;
  readonly #gasUsedForParentChain: Uint32Array;
  readonly #isSuccess: Uint8Array;
  readonly #contracts = new Map<number, Uint8Array>();

  constructor(sequenced: readonly SequencedTransaction[]) {
    this.length = sequenced.length;
    this.raws = Buffer.concat(sequenced.map(({ transaction }) => transaction.raw));
    this.#ends = new Uint32Array(sequenced.length);
    this.#senders = Buffer.concat(sequenced.map(({ transaction }) => transaction.sender));
    this.#gasUsed = Uint32Array.from(sequenced, ({ outcome }) => outcome.gasUsed);
    this.#gasUsedForParentChain = Uint32Array.from(sequenced, ({ outcome }) => outcome.gasUsedForParentChain);
    this.#isSuccess = Uint8Array.from(sequenced, ({ outcome }) => Number(outcome.isSuccess));
    this.gasUsedByAll = this.#gasUsed.reduce((sum, gas) => sum + gas, 0);
    const boosted = sequenced.flatMap(({ isTimeboosted }, index) => (isTimeboosted === true ? [index] : []));
    this.metadata = blockMetadataOf(sequenced.length, boosted);
    let end = 0;
    for (const [index, { transaction, outcome }] of sequenced.entries()) {
      end += transaction.raw.length;
      this.#ends[index] = end;
      if (outcome.contract !== null) this.#contracts.set(index, outcome.contract);
    }
  }

  /** The hashes, in order. */
  *hashes(): Generator<Uint8Array> {
    for (let index = 0; index < this.length; index++) yield this.envelope(index).hash;
  }

  *entries(): Generator<BlockEntry> {
    for (let index = 0; index < this.length; index++) yield this.entry(index);
  }

  /** The transaction at an existing index. */
  entry(index: number): BlockEntry {
    return {
      index,
      envelope: this.envelope(index),
      sender: this.#senders.subarray(index * ADDRESS_BYTES, (index + 1) * ADDRESS_BYTES),
      isSuccess: this.#isSuccess[index] === 1,
      gasUsed: this.#gasUsed[index]!,
      gasUsedForParentChain: this.#gasUsedForParentChain[index]!,
      contract: this.#contracts.get(index) ?? null,
    };
  }

  envelope(index: number): TransactionEnvelope {
    const from = index === 0 ? 0 : this.#ends[index - 1]!;
    return parseTransaction(this.raws.subarray(from, this.#ends[index]));
  }
}
