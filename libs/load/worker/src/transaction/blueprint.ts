import { fromHex } from '#load/chain';
import type { MixEntry, TransactionKind } from '../plan/edge-plan.ts';
import type { FailureClass } from '../rpc/failure-class.ts';
import { LOAD_TOKEN_CODE } from './load-token-code.ts';

/** What all transactions of one entry of the mix have in common. Can be posted to a thread. */
export interface Blueprint {
  readonly kind: TransactionKind;
  /** Every failure of this class is what the entry is there for. */
  readonly expect: FailureClass | null;
  /** The next account of the partition, an address, or nobody: a contract is made. */
  readonly receiver: 'ring' | Uint8Array | null;
  /** The receiver gets units of this token instead of wei. */
  readonly token: Uint8Array | null;
  readonly value: bigint;
  readonly data: Uint8Array;
  /** Bytes behind the data that look random. */
  readonly fillBytes: number;
  readonly gasLimit: bigint;
}

/** Where it goes, and what with. */
export interface Payload {
  readonly to: Uint8Array | null;
  readonly value: bigint;
  readonly data: Uint8Array;
}

const CALLDATA_BYTES_DEFAULT = 1_024;
const TRANSFER_SELECTOR = fromHex('0xa9059cbb');
const WORD_BYTES = 32;
const NOTHING = new Uint8Array(0);
/** Init code that makes a contract of one byte, STOP. What follows it is let be. */
const SMALLEST_CONTRACT = fromHex('0x6001600c60003960016000f300');

/** `token` is that of the edge; only entries of the kind `erc20_transfer` need it. */
export function blueprintOf(entry: MixEntry, token: Uint8Array | null): Blueprint {
  const { kind, to = 'ring', valueWei = '1', bytes, expect = null } = entry;
  const receiver = to === 'ring' ? 'ring' : fromHex(to);
  const plain: Blueprint = {
    kind,
    expect,
    receiver,
    token: null,
    value: 0n,
    data: NOTHING,
    fillBytes: 0,
    gasLimit: 0n,
  };
  switch (kind) {
    case 'transfer':
      return { ...plain, value: BigInt(valueWei) };
    case 'erc20_transfer':
      return { ...plain, token, value: BigInt(valueWei) };
    case 'deploy':
      return { ...plain, receiver: null, data: SMALLEST_CONTRACT, fillBytes: bytes ?? 0 };
    case 'calldata':
      return { ...plain, fillBytes: bytes ?? CALLDATA_BYTES_DEFAULT };
    case 'invalid_nonce':
      return plain;
  }
}

/** Creates the token that {@link blueprintOf} wants. */
export const TOKEN_CREATION: Payload = { to: null, value: 0n, data: LOAD_TOKEN_CODE };

/** The payload for an account whose neighbour in the ring is `next`; `fillSeed` chooses the filling. */
export function payloadOf(blueprint: Blueprint, next: Uint8Array, fillSeed: number): Payload {
  const { receiver, token, value, data, fillBytes } = blueprint;
  const to = receiver === 'ring' ? next : receiver;
  if (token !== null && to !== null) return { to: token, value: 0n, data: tokenTransfer(to, value) };
  return { to, value, data: fillBytes === 0 ? data : filled(data, fillBytes, fillSeed) };
}

function tokenTransfer(receiver: Uint8Array, units: bigint): Uint8Array {
  const data = new Uint8Array(TRANSFER_SELECTOR.length + 2 * WORD_BYTES);
  data.set(TRANSFER_SELECTOR);
  data.set(receiver, TRANSFER_SELECTOR.length + WORD_BYTES - receiver.length);
  data.set(Buffer.from(units.toString(16).padStart(2 * WORD_BYTES, '0'), 'hex'), data.length - WORD_BYTES);
  return data;
}

/** Marsaglia's xorshift: cheap, and too irregular to be compressed. */
function filled(data: Uint8Array, fillBytes: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(data.length + fillBytes);
  bytes.set(data);
  let word = (seed ^ 0x9e3779b9) | 1;
  for (let at = data.length; at < bytes.length; at++) {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    bytes[at] = word;
  }
  return bytes;
}
