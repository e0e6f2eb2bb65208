import { fromHex } from '#load/chain';
import { readBigInt, readNumber, unexpected } from '../rpc/json-rpc.ts';

/** The parts of a block that are compared with its receipts. Hashes as `0x…`, in lower case. */
export interface ChainBlockHeader {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Null on a chain without EIP-1559. */
  readonly baseFee: bigint | null;
  readonly gasUsed: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** The block of the parent chain, on an Arbitrum chain; null on others, NaN if it is malformed. */
  readonly parentNumber: number | null;
  readonly txHashes: readonly string[];
}

export type Members = Readonly<Partial<Record<string, unknown>>>;

const HASH_BYTES = 32;
const HASH = /^0x[0-9a-f]{64}$/;

/** Throws WIRE_FORMAT for an invalid block. */
export function readHeader(value: unknown): ChainBlockHeader {
  const block = membersOf(value);
  const { baseFeePerGas, transactions } = block;
  if (!Array.isArray(transactions)) throw unexpected('a block with transactions', transactions);
  return {
    number: readNumber(block['number']),
    hash: hashText(block['hash']),
    parentHash: hashText(block['parentHash']),
    baseFee: baseFeePerGas === undefined || baseFeePerGas === null ? null : readBigInt(baseFeePerGas),
    gasUsed: readNumber(block['gasUsed']),
    timestamp: readNumber(block['timestamp']),
    parentNumber: parentNumberOf(block),
    txHashes: transactions.map((one: unknown) =>
      hashText(typeof one === 'string' ? one : membersOf(one)['hash']),
    ),
  };
}

function parentNumberOf({ l1BlockNumber = null }: Members): number | null {
  if (l1BlockNumber === null) return null;
  return typeof l1BlockNumber === 'string' ? Number(l1BlockNumber) : NaN;
}

export function membersOf(value: unknown): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw unexpected('an object', value);
}

export function hashOf(value: unknown): Uint8Array {
  const hash = typeof value === 'string' ? fromHex(value) : undefined;
  if (hash?.length !== HASH_BYTES) throw unexpected('a hash of 32 bytes', value);
  return hash;
}

function hashText(value: unknown): string {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  if (!HASH.test(text)) throw unexpected('a hash of 32 bytes', value);
  return text;
}
