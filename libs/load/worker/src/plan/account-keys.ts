import { type Address, addressOf, fromHex, isPrivateKey, keccak256, MnemonicKeys, toHex } from '#load/chain';
import { DomainError, Secret } from '#platform/foundation';

/** The default seed of the accounts; for development chains only. */
export const DEVELOPMENT_SEED = new Secret('plexus development seed');

/**
 * Chains on which the development seed and funder are permitted: the development chains of anvil and Nitro.
 */
export const DEVELOPMENT_CHAIN_IDS: ReadonlySet<number> = new Set([31_337, 412_346]);

const LABEL = Buffer.from('plexus account');
const ADDRESS_BYTES = 20;
/** A key of a mnemonic costs a millisecond. */
const ADDRESSES_A_TURN = 32;

/** What a secret text is: a seed of our own derivation, a mnemonic of wallets, or the keys themselves. */
export const KEY_KINDS = ['seed', 'mnemonic', 'keys'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** The text from which the keys of a run's accounts come; the whole can be given to a thread. */
export interface AccountSecret {
  readonly kind: KeyKind;
  readonly text: string;
}

/** The private keys of a run's accounts, by number. */
export class AccountKeys {
  /** Given to signing threads of this process, and to nothing else. */
  readonly secret: AccountSecret;
  readonly #keyOf: (number: number) => Uint8Array;
  /** How many there are; no limit for derived keys. */
  readonly countMax: number;

  /** Throws INVALID_CONFIG, without the text. */
  constructor(secret: AccountSecret) {
    this.secret = secret;
    const { kind, text } = secret;
    if (kind === 'keys') {
      const keys = listedKeys(text);
      this.countMax = keys.length;
      this.#keyOf = (number) => keyAt(keys, number);
      return;
    }
    this.countMax = Infinity;
    const mnemonic = kind === 'mnemonic' ? new MnemonicKeys(text) : undefined;
    const seed = new Secret(text);
    this.#keyOf = (number) => mnemonic?.keyOf(number) ?? accountKey(seed, number);
  }

  static ofSeed(seed: Secret): AccountKeys {
    return new AccountKeys({ kind: 'seed', text: seed.reveal() });
  }

  keyOf(number: number): Uint8Array {
    return this.#keyOf(number);
  }

  /** The seed of keys for other purposes. */
  get seed(): Secret {
    const { kind, text } = this.secret;
    return new Secret(kind === 'seed' ? text : toHex(keccak256(Buffer.from(text))));
  }
}

function keyAt(keys: readonly Uint8Array[], number: number): Uint8Array {
  const key = keys[number];
  if (key !== undefined) return key;
  throw new DomainError('INVALID_CONFIG', `expected at least ${number + 1} keys, got ${keys.length}`);
}

/** Throws INVALID_CONFIG for anything but keys, and for two of one account, by their places in the list. */
function listedKeys(text: string): readonly Uint8Array[] {
  const places = new Map<string, number>();
  return text
    .split(/[\s,]+/)
    .filter((word) => word !== '')
    .map((word, at) => {
      const [, digits] = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(word) ?? [];
      const key = digits === undefined ? undefined : fromHex(`0x${digits}`);
      if (key === undefined || !isPrivateKey(key)) {
        const message = `key ${at + 1} of the list: expected a private key of 64 hexadecimal digits`;
        throw new DomainError('INVALID_CONFIG', message);
      }
      const address = toHex(addressOf(key));
      const before = places.get(address);
      if (before !== undefined) {
        throw new DomainError('INVALID_CONFIG', `keys ${before} and ${at + 1} of the list are the same`);
      }
      places.set(address, at + 1);
      return key;
    });
}

/**
 * The private key of an account: keccak256(seed ‖ "plexus account" ‖ number as u32be), hashed again until it
 * is a valid scalar.
 */
function accountKey(seed: Secret, number: number): Uint8Array {
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
  static async derive(keys: AccountKeys, first: number, count: number): Promise<AddressBook> {
    const bytes = new Uint8Array(new SharedArrayBuffer(count * ADDRESS_BYTES));
    for (let at = 0; at < count; at++) {
      bytes.set(addressOf(keys.keyOf(first + at)), at * ADDRESS_BYTES);
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

/** The accounts of the development seed. */
export const DEVELOPMENT_ACCOUNTS = AccountKeys.ofSeed(DEVELOPMENT_SEED);
