/**
 * The signer of a feed message, from `signatureV2` (Nitro, broadcaster/message and arbos/arbostypes):
 *
 *   keccak256("Arbitrum Nitro Feed:" ‖ u64 chain id ‖ u64 sequence number ‖ block hash ‖ block metadata ‖
 *             u64 delayed messages read ‖ u8 kind ‖ sender ‖ u64 block number ‖ u64 timestamp ‖
 *             request id ‖ L1 base fee ‖ l2Msg)
 *
 * All integers are big-endian. Null fields are omitted. The base fee has no leading zeros; zero has no bytes.
 */
import { type Address, addressOf } from '../crypto/address.ts';
import { fromHex } from '../bytes/hex.ts';
import { curve } from '../crypto/signing-curve.ts';
import { keccak256 } from '../crypto/keccak256.ts';
import { type FeedMessage, type FeedSeal, OWN_SEAL } from './feed-frame.ts';

const PREFIX = Buffer.from('Arbitrum Nitro Feed:');
const SIGNATURE_BYTES = 65;
const HASH = /^0x[0-9a-fA-F]{64}$/;
/** Offset of the parity in signatures with Bitcoin's convention. */
const PARITY_OFFSET = 27;

/** The signer's address; undefined if the signature is missing or invalid. */
export function feedSignerOf(message: FeedMessage, chainId: number): Address | undefined {
  const { seal } = message;
  if (seal?.signature.length !== SIGNATURE_BYTES) return undefined;
  const last = seal.signature[SIGNATURE_BYTES - 1] ?? 0;
  const yParity = last >= PARITY_OFFSET ? last - PARITY_OFFSET : last;
  if (yParity > 1) return undefined;
  const signature = seal.signature.subarray(0, SIGNATURE_BYTES - 1);
  const key = curve.recover(signedHash(message, seal, chainId), { signature, yParity });
  return key === undefined ? undefined : addressOf(key.subarray(1));
}

/** The message with a signature by `privateKey`. */
export function signFeedMessage(message: FeedMessage, chainId: number, privateKey: Uint8Array): FeedMessage {
  const seal = { ...OWN_SEAL, blockMetadata: message.blockMetadata ?? OWN_SEAL.blockMetadata };
  const { signature, yParity } = curve.sign(signedHash(message, seal, chainId), privateKey);
  return { ...message, seal: { ...seal, signature: Uint8Array.of(...signature, yParity) } };
}

function signedHash(message: FeedMessage, seal: Omit<FeedSeal, 'signature'>, chainId: number): Uint8Array {
  const { sequenceNumber, kind, timestamp, parentBlockNumber, l2Msg, blockHash } = message;
  return keccak256(
    Buffer.concat([
      PREFIX,
      u64(chainId),
      u64(sequenceNumber),
      blockHash !== null && HASH.test(blockHash) ? fromHex(blockHash) : new Uint8Array(0),
      seal.blockMetadata,
      u64(seal.delayedMessagesRead),
      Uint8Array.of(kind),
      seal.sender,
      u64(parentBlockNumber),
      u64(timestamp),
      seal.requestId ?? new Uint8Array(0),
      minimalBytes(seal.baseFeeL1 ?? 0n),
      l2Msg,
    ]),
  );
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function minimalBytes(value: bigint): Buffer {
  if (value <= 0n) return Buffer.alloc(0);
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}
