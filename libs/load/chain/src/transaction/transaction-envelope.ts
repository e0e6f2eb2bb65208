/**
 * Signed transactions in their wire format (EIP-2718): a legacy transaction is an RLP list, the others are a
 * type byte and a list. The parser is as strict as geth and rejects the same bytes. It does not verify the
 * signature: `senderOf` does.
 *
 *   legacy    nonce, gasPrice, gasLimit, to, value, data, v, r, s
 *   1 (2930)  chainId, nonce, gasPrice, gasLimit, to, value, data, accessList, yParity, r, s
 *   2 (1559)  chainId, nonce, priorityFee, maxFee, gasLimit, to, value, data, accessList, yParity, r, s
 *   4 (7702)  as 2, with a list of authorisations after the access list
 */
import { wireFault } from '../bytes/hex.ts';
import { keccak256 } from '../crypto/keccak256.ts';
import { RlpReader } from '../bytes/rlp-reader.ts';

export type TransactionType = 0 | 1 | 2 | 4;

export interface AccessListEntry {
  readonly address: Uint8Array;
  readonly storageKeys: readonly Uint8Array[];
}

/** A signed transaction's fields. Byte arrays are views of `raw`. */
export interface TransactionEnvelope {
  readonly type: TransactionType;
  /** null: valid on every chain (before EIP-155). */
  readonly chainId: bigint | null;
  readonly nonce: number;
  /** Both fees are the gas price in types 0 and 1. */
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gasLimit: bigint;
  /** null: creates a contract from `data`. */
  readonly to: Uint8Array | null;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly accessList: readonly AccessListEntry[];
  readonly authorizationCount: number;
  readonly signature: EnvelopeSignature;
  readonly hash: Uint8Array;
  readonly raw: Uint8Array;
}

export interface EnvelopeSignature {
  /** y parity; in a legacy transaction 27 or 35 + 2 × chain id, plus the parity. */
  readonly v: bigint;
  /** `r` and `s` without leading zeros. */
  readonly r: Uint8Array;
  readonly s: Uint8Array;
  /** The RLP of the signed fields, without a list header. */
  readonly signedFields: Uint8Array;
}

const LEGACY_FROM = 0xc0;
const WORD_BYTES = 32;
const GAS_BYTES = 8;
const ADDRESS_BYTES = 20;

/** Reads one signed transaction. Throws WIRE_FORMAT for anything else. */
export function parseTransaction(raw: Uint8Array): TransactionEnvelope {
  const type = typeOf(raw);
  const outer = new RlpReader(raw, type === 0 ? 0 : 1);
  const fields = outer.list();
  outer.end();
  const from = fields.at;
  const chainId = type === 0 ? null : fields.uint(WORD_BYTES);
  const nonce = nonceOf(fields.uint(GAS_BYTES));
  const maxPriorityFeePerGas = fields.uint(WORD_BYTES);
  const maxFeePerGas = type === 2 || type === 4 ? fields.uint(WORD_BYTES) : maxPriorityFeePerGas;
  const gasLimit = fields.uint(GAS_BYTES);
  const to = receiverOf(fields.string());
  const value = fields.uint(WORD_BYTES);
  const data = fields.string();
  const accessList = type === 0 ? [] : accessListOf(fields.list());
  const authorizationCount = type === 4 ? countAuthorizations(fields.list()) : 0;
  const signedFields = raw.subarray(from, fields.at);
  const v = fields.uint(WORD_BYTES);
  const signature = { v, r: fields.uintBytes(WORD_BYTES), s: fields.uintBytes(WORD_BYTES), signedFields };
  fields.end();
  return {
    type,
    chainId: type === 0 && v >= 35n ? (v - 35n) / 2n : chainId,
    nonce,
    maxPriorityFeePerGas,
    maxFeePerGas,
    gasLimit,
    to,
    value,
    data,
    accessList,
    authorizationCount,
    signature,
    hash: keccak256(raw),
    raw,
  };
}

function typeOf(raw: Uint8Array): TransactionType {
  const [first] = raw;
  if (first === undefined) throw wireFault('expected a transaction, got no bytes');
  if (first >= LEGACY_FROM) return 0;
  if (first === 1 || first === 2 || first === 4) return first;
  throw wireFault(`expected a transaction of type 1, 2, 4 or a legacy one, got type ${first}`);
}

function nonceOf(value: bigint): number {
  const nonce = Number(value);
  if (!Number.isSafeInteger(nonce)) throw wireFault(`expected a nonce below 2^53, got ${value.toString()}`);
  return nonce;
}

function receiverOf(bytes: Uint8Array): Uint8Array | null {
  if (bytes.length === 0) return null;
  if (bytes.length === ADDRESS_BYTES) return bytes;
  throw wireFault(`expected a receiver of ${ADDRESS_BYTES} bytes or none, got ${bytes.length}`);
}

function accessListOf(entries: RlpReader): AccessListEntry[] {
  const list: AccessListEntry[] = [];
  while (!entries.isAtEnd) {
    const entry = entries.list();
    const address = entry.fixed(ADDRESS_BYTES);
    const keys = entry.list();
    entry.end();
    const storageKeys: Uint8Array[] = [];
    while (!keys.isAtEnd) storageKeys.push(keys.fixed(WORD_BYTES));
    list.push({ address, storageKeys });
  }
  return list;
}

function countAuthorizations(entries: RlpReader): number {
  let count = 0;
  for (; !entries.isAtEnd; count++) {
    const entry = entries.list();
    entry.uint(WORD_BYTES);
    entry.fixed(ADDRESS_BYTES);
    entry.uint(GAS_BYTES);
    for (const bytes of [1, WORD_BYTES, WORD_BYTES]) entry.uintBytes(bytes);
    entry.end();
  }
  return count;
}
