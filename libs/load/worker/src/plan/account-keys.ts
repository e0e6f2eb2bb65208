import { type Address, addressOf, isPrivateKey, keccak256 } from '#load/chain';
import { Secret } from '#platform/foundation';

/** The default seed of the accounts; for development chains only. */
export const DEVELOPMENT_SEED = new Secret('plexus development seed');

/**
 * Chains on which the development seed and funder are permitted: the development chains of anvil and Nitro.
 */
export const DEVELOPMENT_CHAIN_IDS: ReadonlySet<number> = new Set([31_337, 412_346]);

const LABEL = Buffer.from('plexus account');
const ADDRESS_BYTES = 20;
const ADDRESSES_A_TURN = 256;

/**
 * The private key of an account: keccak256(seed ‖ "plexus account" ‖ number as u32be), hashed again until it
 * is a valid scalar.
 */
export function accountKey(seed: Secret, number: number): Uint8Array {
  return derivedKey(Buffer.from(seed.reveal()), LABEL, number);
}

/** A key for another purpose, given by its label. */
export function derivedKey(secret: Uint8Array, label: Uint8Array, number: number): Uint8Array {
  const index = Buffer.alloc(4);
  index.writeUInt32BE(number);
  let key = keccak256(Buffer.concat([secret, label, index]));
  while (!isPrivateKey(key)) key = keccak256(key);
  return key;
}

/** The addresses of a partition, consecutive in shared memory. */
export class AddressBook {
  readonly first: number;
  readonly count: number;
  readonly bytes: Uint8Array;

  constructor(first: number, bytes: Uint8Array) {
    this.first = first;
    this.count = bytes.length / ADDRESS_BYTES;
    this.bytes = bytes;
  }

  /**
   * Derives the accounts from `first` up to, not including, `first + count`, and yields to the event loop.
   */
  static async derive(seed: Secret, first: number, count: number): Promise<AddressBook> {
    const bytes = new Uint8Array(new SharedArrayBuffer(count * ADDRESS_BYTES));
    for (let at = 0; at < count; at++) {
      bytes.set(addressOf(accountKey(seed, first + at)), at * ADDRESS_BYTES);
      if (at % ADDRESSES_A_TURN === ADDRESSES_A_TURN - 1) await turn();
    }
    return new AddressBook(first, bytes);
  }

  /** The address at a position in the partition, from 0. */
  at(position: number): Address {
    return this.bytes.subarray(position * ADDRESS_BYTES, (position + 1) * ADDRESS_BYTES);
  }

  /** The receiver of an account in a ring: the next account; for the last, the first. */
  next(position: number): Address {
    return this.at((position + 1) % this.count);
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
