import { fromHex } from '#chain';
import { readBigInt, readNumber, unexpected } from '../rpc/json-rpc.ts';

/** Receipts of one block, of transactions whose sender belongs to the partition; columns of equal length. */
export interface BlockReceipts {
  readonly blockNumber: number;
  readonly hashes: Uint8Array;
  /** The sender's position in the partition. */
  readonly positions: Uint32Array;
  readonly indexes: Uint32Array;
  /** 1: executed, 0: failed. */
  readonly statuses: Uint8Array;
  readonly gasUsed: Float64Array;
  /** NaN where the chain does not say. */
  readonly gasUsedL1: Float64Array;
  readonly prices: readonly bigint[];
  /** The whole receipt as JSON, by row, of those that are not as they should be. */
  readonly suspicious: ReadonlyMap<number, string>;
}

/** From which gas on a receipt is suspicious, by what the transaction does: the lowest limits of the run. */
export interface GasAlarm {
  readonly creation: number;
  readonly token: number;
  readonly plain: number;
  readonly tokenAddress: string | null;
}

interface Receipt {
  readonly hash: Uint8Array;
  readonly position: number;
  readonly index: number;
  readonly status: number;
  readonly gasUsed: number;
  readonly gasUsedL1: number;
  readonly price: bigint;
  readonly json: string | undefined;
}

const HASH_BYTES = 32;
const GAS_LEAST = 21_000;
const GAS_PLAUSIBLE = 2 ** 50;

/** Reads receipts as JSON-RPC gives them, those of the partition only. */
export class ReceiptReader {
  readonly #positions: ReadonlyMap<string, number>;
  readonly #alarm: GasAlarm;

  /** `positions` by address in lower-case hexadecimal. */
  constructor(positions: ReadonlyMap<string, number>, alarm: GasAlarm) {
    this.#positions = positions;
    this.#alarm = alarm;
  }

  /** Whether a transaction or a receipt is of the partition. */
  isOwn(value: unknown): boolean {
    return this.#positionOf(membersOf(value)['from']) !== undefined;
  }

  /** Throws WIRE_FORMAT for what is no list of receipts. */
  read(blockNumber: number, list: unknown): BlockReceipts {
    if (!Array.isArray(list)) throw unexpected('a list of receipts', list);
    return columnsOf(
      blockNumber,
      list.flatMap((receipt: unknown) => this.#readOwn(membersOf(receipt))),
    );
  }

  #readOwn(receipt: Members): readonly Receipt[] {
    const position = this.#positionOf(receipt['from']);
    if (position === undefined) return [];
    const status = readNumber(receipt['status']);
    const gasUsed = readNumber(receipt['gasUsed']);
    const gasUsedL1 = typeof receipt['gasUsedForL1'] === 'string' ? readNumber(receipt['gasUsedForL1']) : NaN;
    const isSuspicious =
      status !== 1 || gasUsed < GAS_LEAST || gasUsedL1 > gasUsed || gasUsed > this.#alarmOf(receipt['to']);
    const read = {
      hash: hashOf(receipt['transactionHash']),
      position,
      index: readNumber(receipt['transactionIndex']),
      status: status === 1 ? 1 : 0,
      gasUsed: Math.min(gasUsed, GAS_PLAUSIBLE),
      gasUsedL1,
      price: readBigInt(receipt['effectiveGasPrice']),
      json: isSuspicious ? JSON.stringify(receipt) : undefined,
    };
    return [read];
  }

  #positionOf(address: unknown): number | undefined {
    return typeof address === 'string' ? this.#positions.get(address.toLowerCase()) : undefined;
  }

  #alarmOf(receiver: unknown): number {
    const { creation, token, plain, tokenAddress } = this.#alarm;
    if (typeof receiver !== 'string') return creation;
    return receiver.toLowerCase() === tokenAddress ? token : plain;
  }
}

type Members = Readonly<Partial<Record<string, unknown>>>;

function membersOf(value: unknown): Members {
  if (typeof value === 'object' && value !== null) return value as Members;
  throw unexpected('an object', value);
}

function hashOf(value: unknown): Uint8Array {
  const hash = typeof value === 'string' ? fromHex(value) : undefined;
  if (hash?.length !== HASH_BYTES) throw unexpected('a hash of 32 bytes', value);
  return hash;
}

function columnsOf(blockNumber: number, receipts: readonly Receipt[]): BlockReceipts {
  const hashes = new Uint8Array(receipts.length * HASH_BYTES);
  for (const [at, { hash }] of receipts.entries()) hashes.set(hash, at * HASH_BYTES);
  const suspicious = receipts.flatMap(({ json }, at) => (json === undefined ? [] : [[at, json] as const]));
  return {
    blockNumber,
    hashes,
    positions: Uint32Array.from(receipts, ({ position }) => position),
    indexes: Uint32Array.from(receipts, ({ index }) => index),
    statuses: Uint8Array.from(receipts, ({ status }) => status),
    gasUsed: Float64Array.from(receipts, ({ gasUsed }) => gasUsed),
    gasUsedL1: Float64Array.from(receipts, ({ gasUsedL1 }) => gasUsedL1),
    prices: receipts.map(({ price }) => price),
    suspicious: new Map(suspicious),
  };
}
