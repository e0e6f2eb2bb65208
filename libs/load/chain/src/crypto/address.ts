import { assert } from '#platform/foundation';
import { toHex, wireFault } from '../bytes/hex.ts';
import { curve } from './signing-curve.ts';
import { keccak256 } from './keccak256.ts';
import { RlpWriter } from '../bytes/rlp-writer.ts';

/** An address: 20 bytes. */
export type Address = Uint8Array;

const ADDRESS_BYTES = 20;
const PRIVATE_KEY_BYTES = 32;
const UNPREFIXED_BYTES = 64;

const writer = new RlpWriter();

/**
 * The address of a private key (32 bytes) or a public key (33 bytes, 65 bytes, or 64 without the leading 4).
 * Throws WIRE_FORMAT for an invalid key.
 */
export function addressOf(key: Uint8Array): Address {
  return keccak256(pointOf(key)).slice(-ADDRESS_BYTES);
}

/** Whether the bytes are a private key: 32 bytes, from 1 to the order of the curve minus 1. */
export function isPrivateKey(bytes: Uint8Array): boolean {
  return bytes.length === PRIVATE_KEY_BYTES && curve.isPrivateKey(bytes);
}

/** The address of the contract that `sender` creates with `nonce`. */
export function contractAddress(sender: Address, nonce: number): Address {
  assert(sender.length === ADDRESS_BYTES, 'an address of 20 bytes');
  const from = 2;
  writer.reset(from).string(sender).uint(nonce);
  return keccak256(writer.view(writer.listHeader(from), writer.at)).slice(-ADDRESS_BYTES);
}

/** The address in hex with the checksum of EIP-55 (mixed case). */
export function checksumAddress(address: Address): string {
  assert(address.length === ADDRESS_BYTES, 'an address of 20 bytes');
  const digits = toHex(address).slice(2);
  const hash = toHex(keccak256(Buffer.from(digits, 'latin1'))).slice(2);
  return `0x${Array.from(digits, (digit, at) => (parseInt(hash.charAt(at), 16) > 7 ? digit.toUpperCase() : digit)).join('')}`;
}

/** The 64 bytes of the public point. */
function pointOf(key: Uint8Array): Uint8Array {
  if (key.length === UNPREFIXED_BYTES) return key;
  const point = isPrivateKey(key) ? curve.publicKeyOf(key) : curve.uncompressed(key);
  if (point === undefined)
    throw wireFault(`expected a private or public key, got ${key.length} bytes that are none`);
  return point.subarray(1);
}
