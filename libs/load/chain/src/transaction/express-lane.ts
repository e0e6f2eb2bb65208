/**
 * Submissions to the express lane of Nitro (Timeboost), signed by its controller as a personal message:
 *
 *   keccak256("TIMEBOOST_BID") ‖ chain id (32 bytes) ‖ auction contract (20) ‖ u64 round ‖
 *     u64 sequence number ‖ the signed transaction
 *
 * Integers are big-endian. A block's metadata has a version byte, then a bit for each transaction of the
 * block, the lowest first: 1 if it came by the express lane.
 */
import { type Address, addressOf } from '../crypto/address.ts';
import { curve } from '../crypto/signing-curve.ts';
import { keccak256 } from '../crypto/keccak256.ts';

/** What the controller signs. */
export interface ExpressLaneSubmission {
  readonly chainId: number;
  readonly auctionContract: Address;
  readonly round: number;
  readonly sequence: bigint;
  /** The signed transaction. */
  readonly raw: Uint8Array;
}

/** The sequence number that asks for no order. */
export const ANY_SEQUENCE = 2n ** 64n - 1n;

const DOMAIN = keccak256(Buffer.from('TIMEBOOST_BID'));
const WORD_BYTES = 32;
const U64_BYTES = 8;
const SIGNATURE_BYTES = 65;
/** Of signatures with Bitcoin's convention. */
const PARITY_OFFSET = 27;
const METADATA_VERSION = 0;
const BITS = 8;

/** r ‖ s ‖ parity. */
export function signSubmission(submission: ExpressLaneSubmission, privateKey: Uint8Array): Uint8Array {
  const { signature, yParity } = curve.sign(digestOf(submission), privateKey);
  return Uint8Array.of(...signature, yParity);
}

/** The account that signed it; undefined for an invalid signature. */
export function submissionSigner(
  submission: ExpressLaneSubmission,
  signature: Uint8Array,
): Address | undefined {
  if (signature.length !== SIGNATURE_BYTES) return undefined;
  const last = signature[SIGNATURE_BYTES - 1] ?? 0;
  const yParity = last >= PARITY_OFFSET ? last - PARITY_OFFSET : last;
  if (yParity > 1) return undefined;
  const key = curve.recover(digestOf(submission), {
    signature: signature.subarray(0, SIGNATURE_BYTES - 1),
    yParity,
  });
  return key === undefined ? undefined : addressOf(key.subarray(1));
}

/** The metadata of a block of so many transactions, of which those at `boosted` came by the express lane. */
export function blockMetadataOf(count: number, boosted: Iterable<number>): Uint8Array {
  const metadata = new Uint8Array(1 + Math.ceil(count / BITS));
  for (const index of boosted) {
    const at = 1 + Math.floor(index / BITS);
    metadata[at] = (metadata[at] ?? 0) | (1 << (index % BITS));
  }
  return metadata;
}

/** Whether the transaction at an index of the block came by the express lane; null if it is not stated. */
export function isTimeboosted(metadata: Uint8Array, index: number): boolean | null {
  if (metadata[0] !== METADATA_VERSION) return null;
  const bits = metadata[1 + Math.floor(index / BITS)] ?? 0;
  return ((bits >> (index % BITS)) & 1) === 1;
}

function digestOf({ chainId, auctionContract, round, sequence, raw }: ExpressLaneSubmission): Uint8Array {
  const numbers = Buffer.alloc(2 * U64_BYTES);
  numbers.writeBigUInt64BE(BigInt(round), 0);
  numbers.writeBigUInt64BE(sequence, U64_BYTES);
  const chain = Buffer.alloc(WORD_BYTES);
  chain.writeBigUInt64BE(BigInt(chainId), WORD_BYTES - U64_BYTES);
  const message = Buffer.concat([DOMAIN, chain, auctionContract, numbers, raw]);
  const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`, 'latin1');
  return keccak256(Buffer.concat([prefix, message]));
}
