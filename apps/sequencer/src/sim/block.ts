import { keccak256 } from '#load/chain';
import { BlockColumns } from './block-columns.ts';

export interface BlockHeader {
  readonly number: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly parentHash: Uint8Array;
}

export class Block {
  readonly header: BlockHeader;
  readonly transactions: BlockColumns;
  /** Hash of header and transactions, specific to this chain; not geth's hash of a header's RLP. */
  readonly hash: Uint8Array;

  constructor(header: BlockHeader, transactions: BlockColumns) {
    this.header = header;
    this.transactions = transactions;
    this.hash = hashOf(header, transactions);
  }

  /** The first block of a chain. */
  static genesis(timestamp: number): Block {
    return new Block({ number: 0, timestamp, parentHash: new Uint8Array(32) }, new BlockColumns([]));
  }

  /** A block with the same transactions at another time, and thus with another hash. */
  at(timestamp: number): Block {
    return new Block({ ...this.header, timestamp }, this.transactions);
  }
}

function hashOf({ number, timestamp, parentHash }: BlockHeader, { raws }: BlockColumns): Uint8Array {
  const numbers = Buffer.alloc(16);
  numbers.writeBigUInt64BE(BigInt(number), 0);
  numbers.writeBigUInt64BE(BigInt(timestamp), 8);
  return keccak256(Buffer.concat([parentHash, numbers, keccak256(raws)]));
}
