/**
 * Hot path: signs transactions of all types that an Arbitrum chain takes. The fields are written once. They
 * are preceded first by the list header without the signature, to compute the signed hash, then by the list
 * header with it, for the result; here of type 2, the others are in transaction-envelope.ts:
 *
 *   0x02 ‖ rlp([chainId, nonce, maxPriorityFee, maxFee, gasLimit, to, value, data, accessList])
 *   0x02 ‖ rlp([the same, yParity, r, s])
 *
 * A legacy transaction is signed with chainId, 0, 0 after its fields (EIP-155), which the signature replaces.
 */
import { assert } from '#platform/foundation';
import { curve } from '../crypto/signing-curve.ts';
import { keccak256 } from '../crypto/keccak256.ts';
import { RlpWriter } from '../bytes/rlp-writer.ts';
import type { AccessListEntry, TransactionType } from './transaction-envelope.ts';

/** The fields of a transaction. Fees and value are in wei. */
export interface TransactionFields {
  /** Default 2 (EIP-1559). */
  readonly type?: TransactionType;
  readonly chainId: bigint | number;
  readonly nonce: number;
  /** Not in types 0 and 1, whose gas price is `maxFeePerGas`. */
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gasLimit: bigint;
  /** null creates a contract from `data`. */
  readonly to: Uint8Array | null;
  readonly value: bigint;
  readonly data: Uint8Array;
  /** Not in type 0. */
  readonly accessList?: readonly AccessListEntry[];
  /** Of type 4 only, which needs at least one. */
  readonly authorizations?: readonly SignedAuthorization[];
}

/** An account's consent to run the code of a contract (EIP-7702). */
export interface SignedAuthorization {
  readonly chainId: bigint | number;
  readonly address: Uint8Array;
  readonly nonce: number;
  readonly yParity: number;
  readonly r: Uint8Array;
  readonly s: Uint8Array;
}

/** Both arrays are newly allocated. */
export interface SignedTransaction {
  readonly raw: Uint8Array;
  readonly hash: Uint8Array;
}

const HEADER_ROOM = 6;
const AUTHORIZATION_MAGIC = 5;
const PROTECTED_V = 35n;
const EMPTY = new Uint8Array(0);
const EMPTY_LIST = Uint8Array.of(0xc0);

const writer = new RlpWriter();
/** For the lists in a transaction. */
const listWriter = new RlpWriter();

/** Signs with a private key of 32 bytes. Deterministic: equal fields and keys yield equal bytes. */
export function signTransaction(fields: TransactionFields, privateKey: Uint8Array): SignedTransaction {
  const { type = 2, chainId } = fields;
  writeFields(fields);
  const end = writer.at;
  if (type === 0) writer.uint(chainId).uint(0).uint(0);
  const { signature, yParity } = curve.sign(keccak256(envelope(type)), privateKey);
  if (type === 0) writer.rewind(end).uint(PROTECTED_V + 2n * BigInt(chainId) + BigInt(yParity));
  else writer.uint(yParity);
  writer.uintBytes(signature.subarray(0, 32)).uintBytes(signature.subarray(32));
  const raw = Uint8Array.from(envelope(type));
  return { raw, hash: keccak256(raw) };
}

/** Signs an account's consent. The nonce is the account's when the transaction is executed. */
export function signAuthorization(
  { chainId, address, nonce }: Pick<SignedAuthorization, 'chainId' | 'address' | 'nonce'>,
  privateKey: Uint8Array,
): SignedAuthorization {
  listWriter.reset(HEADER_ROOM).uint(chainId).string(address).uint(nonce);
  const start = listWriter.prefix(listWriter.listHeader(HEADER_ROOM), AUTHORIZATION_MAGIC);
  const { signature, yParity } = curve.sign(keccak256(listWriter.view(start, listWriter.at)), privateKey);
  return { chainId, address, nonce, yParity, r: signature.subarray(0, 32), s: signature.subarray(32) };
}

function writeFields(fields: TransactionFields): void {
  const { type = 2, authorizations = [] } = fields;
  assert(fields.to === null || fields.to.length === 20, 'a receiver of 20 bytes, or null');
  assert((type === 4) === authorizations.length > 0, 'authorizations in type 4, and only there');
  writer.reset(HEADER_ROOM);
  if (type !== 0) writer.uint(fields.chainId);
  writer.uint(fields.nonce);
  if (type === 2 || type === 4) writer.uint(fields.maxPriorityFeePerGas);
  writer
    .uint(fields.maxFeePerGas)
    .uint(fields.gasLimit)
    .string(fields.to ?? EMPTY)
    .uint(fields.value)
    .string(fields.data);
  if (type !== 0) writer.encoded(encodedAccessList(fields.accessList ?? []));
  if (type === 4) writer.encoded(encodedList(authorizations.map(encodedAuthorization)));
}

function encodedAccessList(entries: readonly AccessListEntry[]): Uint8Array {
  if (entries.length === 0) return EMPTY_LIST;
  return encodedList(
    entries.map(({ address, storageKeys }) =>
      encodedList([encodedString(address), encodedList(storageKeys.map(encodedString))]),
    ),
  );
}

function encodedAuthorization({ chainId, address, nonce, yParity, r, s }: SignedAuthorization): Uint8Array {
  listWriter.reset(HEADER_ROOM).uint(chainId).string(address).uint(nonce).uint(yParity);
  listWriter.uintBytes(r).uintBytes(s);
  return Uint8Array.from(listWriter.view(listWriter.listHeader(HEADER_ROOM), listWriter.at));
}

function encodedString(bytes: Uint8Array): Uint8Array {
  listWriter.reset(0).string(bytes);
  return Uint8Array.from(listWriter.view(0, listWriter.at));
}

function encodedList(items: readonly Uint8Array[]): Uint8Array {
  listWriter.reset(HEADER_ROOM);
  for (const item of items) listWriter.encoded(item);
  return Uint8Array.from(listWriter.view(listWriter.listHeader(HEADER_ROOM), listWriter.at));
}

/** The written fields as a list, with the type byte if there is one. */
function envelope(type: TransactionType): Uint8Array {
  const list = writer.listHeader(HEADER_ROOM);
  return writer.view(type === 0 ? list : writer.prefix(list, type), writer.at);
}
