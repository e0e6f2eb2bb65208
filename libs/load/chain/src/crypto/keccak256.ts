/** Ethereum's Keccak-256 (padding 0x01, not SHA-3's 0x06) in WebAssembly, 7 times as fast as JavaScript. */
import { createKeccak } from 'hash-wasm';

const HASH_BITS = 256;

const hasher = await createKeccak(HASH_BITS);

/** The 32 bytes of the hash, in newly allocated memory. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest('binary');
}
