import { fromHex } from '#load/chain';
import { DomainError } from '#platform/foundation';
import { readBigInt, readNumber, unexpected } from '../rpc/json-rpc.ts';
import { type ChainBlockHeader, hashOf, type Members, membersOf } from './block-header.ts';
import { type BlockFault, ReceiptSums } from './receipt-sums.ts';

/**
 * A block: its place in the chain, and the receipts of transactions sent from the partition, in columns of
 * equal length.
 */
export interface BlockReceipts {
  readonly blockNumber: number;
  readonly hash: Uint8Array;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** The block of the parent chain; null where there is none, NaN if it is not known. */
  readonly parentNumber: number | null;
  readonly baseFee: bigint | null;
  /** When it was read, microseconds since 1970. */
  readonly readUs: number;
  /** The hashes of all its transactions, in order. */
  readonly txHashes: Uint8Array;
  readonly hashes: Uint8Array;
  /** The sender's position in the partition. */
  readonly positions: Uint32Array;
  /** The receiver's position; −1: not of the partition. */
  readonly receivers: Int32Array;
  readonly indexes: Uint32Array;
  /** 1: executed, 0: failed. */
  readonly statuses: Uint8Array;
  readonly gasUsed: Float64Array;
  /** NaN if the chain does not report it. */
  readonly gasUsedL1: Float64Array;
  readonly prices: readonly bigint[];
  /** The whole receipt as JSON, by row, of unexpected receipts. */
  readonly suspicious: ReadonlyMap<number, string>;
  /** The created contract, by row. Null: missing in the receipt. */
  readonly contracts: ReadonlyMap<number, Uint8Array | null>;
  /** The receivers that the receipts state, 20 bytes each; zeros for a creation. */
  readonly stated: Uint8Array;
  /** The types that the receipts state; −1: none. */
  readonly types: Int32Array;
  /** Number of the block's transactions whose receipts the node did not return. */
  readonly missing: number;
  /** Number of receipts that were requested one by one. */
  readonly singleCount: number;
  /** Payments from outside of the partition to it. */
  readonly incoming: readonly IncomingTransaction[];
  readonly faults: readonly BlockFault[];
}

export interface IncomingTransaction {
  readonly hash: Uint8Array;
  /** Position of the receiver. */
  readonly position: number;
}

/** The gas above which a receipt is suspicious, by kind of transaction: the lowest limits of the run. */
export interface GasAlarm {
  readonly creation: number;
  readonly plain: number;
  /** By address, of the token and of called contracts. */
  readonly contracts: ReadonlyMap<string, number>;
}

interface Receipt {
  readonly hash: Uint8Array;
  readonly position: number;
  readonly receiver: number;
  readonly index: number;
  readonly status: number;
  readonly gasUsed: number;
  readonly gasUsedL1: number;
  readonly price: bigint;
  readonly json: string | undefined;
  readonly to: unknown;
  readonly type: number;
  /** Undefined: the run creates none. */
  readonly contract: Uint8Array | null | undefined;
}

const HASH_BYTES = 32;
const ADDRESS_BYTES = 20;
const NO_TYPE = -1;
const INVALID_TYPE = -2;
const GAS_LEAST = 21_000;
const GAS_PLAUSIBLE = 2 ** 50;
/** Maximum number of reported faults of a block. */
const FAULTS_MAX = 64;

/** Parses the receipts of JSON-RPC, and keeps those of the partition. */
export class ReceiptReader {
  readonly #positions: ReadonlyMap<string, number>;
  readonly #alarm: GasAlarm;

  /** `positions` by address in lower-case hexadecimal. */
  constructor(positions: ReadonlyMap<string, number>, alarm: GasAlarm) {
    this.#positions = positions;
    this.#alarm = alarm;
  }

  /** Whether a transaction or a receipt is from or to the partition. */
  isOwn(value: unknown): boolean {
    const { from, to } = membersOf(value);
    return this.#positionOf(from) !== undefined || this.#positionOf(to) !== undefined;
  }

  /** A block without own transactions, for which no receipts were requested. */
  readNone(header: ChainBlockHeader, readUs: number): BlockReceipts {
    const nothing = { incoming: [], faults: [], missing: 0, singleCount: 0 };
    return { ...headOf(header, readUs), ...columnsOf([]), ...nothing };
  }

  /**
   * Reads the receipts of a block; null stands for one that the node does not have yet. An invalid receipt
   * is a fault; throws WIRE_FORMAT if `answer` is no list.
   */
  read(header: ChainBlockHeader, answer: unknown, readUs: number): BlockReceipts {
    if (!Array.isArray(answer)) throw unexpected('a list of receipts', answer);
    const list = answer.filter((one: unknown) => one !== null);
    const own: Receipt[] = [];
    const incoming: IncomingTransaction[] = [];
    const sums = new ReceiptSums(header);
    const faults: BlockFault[] = [];
    for (const receipt of list) {
      try {
        const members = membersOf(receipt);
        sums.add(members);
        const position = this.#positionOf(members['from']);
        const receiver = this.#positionOf(members['to']);
        if (position !== undefined) own.push(this.#readOwn(members, position, receiver ?? -1));
        else if (receiver !== undefined) {
          incoming.push({ hash: hashOf(members['transactionHash']), position: receiver });
        }
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        faults.push(this.#malformed(receipt, error.message));
      }
    }
    const whole = [...faults, ...sums.faults(list.length, faults.length === 0)];
    return {
      ...headOf(header, readUs),
      ...columnsOf(own),
      incoming,
      faults: whole.slice(0, FAULTS_MAX),
      missing: Math.max(0, header.txHashes.length - list.length),
      singleCount: 0,
    };
  }

  #readOwn(receipt: Members, position: number, receiver: number): Receipt {
    const status = readNumber(receipt['status']);
    const gasUsed = readNumber(receipt['gasUsed']);
    const gasUsedL1 = typeof receipt['gasUsedForL1'] === 'string' ? readNumber(receipt['gasUsedForL1']) : NaN;
    const isSuspicious =
      status !== 1 || gasUsed < GAS_LEAST || gasUsedL1 > gasUsed || gasUsed > this.#alarmOf(receipt['to']);
    return {
      hash: hashOf(receipt['transactionHash']),
      position,
      receiver,
      index: readNumber(receipt['transactionIndex']),
      status: status === 1 ? 1 : 0,
      gasUsed: Math.min(gasUsed, GAS_PLAUSIBLE),
      gasUsedL1,
      price: readBigInt(receipt['effectiveGasPrice']),
      json: isSuspicious ? JSON.stringify(receipt) : undefined,
      to: receipt['to'],
      type: typeOf(receipt),
      contract: typeof receipt['to'] === 'string' ? undefined : contractOf(receipt),
    };
  }

  #malformed(receipt: unknown, message: string): BlockFault {
    const { transactionHash, from } =
      typeof receipt === 'object' && receipt !== null ? (receipt as Members) : {};
    return {
      kind: 'malformed_receipt',
      hash:
        typeof transactionHash === 'string' && HASH.test(transactionHash) ? fromHex(transactionHash) : null,
      position: this.#positionOf(from) ?? null,
      expected: 'a receipt',
      observed: `rpc_garbage: ${message}`,
      receipt: JSON.stringify(receipt),
    };
  }

  #positionOf(address: unknown): number | undefined {
    return typeof address === 'string' ? this.#positions.get(address.toLowerCase()) : undefined;
  }

  #alarmOf(receiver: unknown): number {
    const { creation, plain, contracts } = this.#alarm;
    return typeof receiver === 'string' ? (contracts.get(receiver.toLowerCase()) ?? plain) : creation;
  }
}

const HASH = /^0x[0-9a-fA-F]{64}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Clients write it in several ways; what is no number is the type of no transaction. */
function typeOf({ type = null }: Members): number {
  if (type === null) return NO_TYPE;
  const number = Number(type);
  return Number.isSafeInteger(number) ? number : INVALID_TYPE;
}

function contractOf({ contractAddress }: Members): Uint8Array | null {
  if (typeof contractAddress !== 'string' || !ADDRESS.test(contractAddress)) return null;
  const address = fromHex(contractAddress);
  return address.length === ADDRESS_BYTES ? address : null;
}

type BlockHeadCells = Pick<
  BlockReceipts,
  'blockNumber' | 'hash' | 'timestamp' | 'parentNumber' | 'baseFee' | 'readUs' | 'txHashes'
>;

function headOf(
  { number, hash, timestamp, parentNumber, baseFee, txHashes }: ChainBlockHeader,
  readUs: number,
): BlockHeadCells {
  const bytes = new Uint8Array(txHashes.length * HASH_BYTES);
  for (const [at, text] of txHashes.entries()) bytes.set(fromHex(text), at * HASH_BYTES);
  const head = { blockNumber: number, hash: fromHex(hash), timestamp, parentNumber, baseFee };
  return { ...head, readUs, txHashes: bytes };
}

function columnsOf(
  receipts: readonly Receipt[],
): Omit<BlockReceipts, keyof BlockHeadCells | 'incoming' | 'faults' | 'missing' | 'singleCount'> {
  const hashes = new Uint8Array(receipts.length * HASH_BYTES);
  const stated = new Uint8Array(receipts.length * ADDRESS_BYTES);
  for (const [at, { to }] of receipts.entries()) {
    if (typeof to === 'string' && ADDRESS.test(to)) stated.set(fromHex(to), at * ADDRESS_BYTES);
  }
  for (const [at, { hash }] of receipts.entries()) hashes.set(hash, at * HASH_BYTES);
  const suspicious = receipts.flatMap(({ json }, at) => (json === undefined ? [] : [[at, json] as const]));
  const contracts = receipts.flatMap(({ contract }, at) =>
    contract === undefined ? [] : [[at, contract] as const],
  );
  return {
    hashes,
    stated,
    types: Int32Array.from(receipts, ({ type }) => type),
    positions: Uint32Array.from(receipts, ({ position }) => position),
    receivers: Int32Array.from(receipts, ({ receiver }) => receiver),
    indexes: Uint32Array.from(receipts, ({ index }) => index),
    statuses: Uint8Array.from(receipts, ({ status }) => status),
    gasUsed: Float64Array.from(receipts, ({ gasUsed }) => gasUsed),
    gasUsedL1: Float64Array.from(receipts, ({ gasUsedL1 }) => gasUsedL1),
    prices: receipts.map(({ price }) => price),
    suspicious: new Map(suspicious),
    contracts: new Map(contracts),
  };
}
