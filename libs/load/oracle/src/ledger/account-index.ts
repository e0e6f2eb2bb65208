/** *Hot path*: the accounts of each row of a run. */
import type { FixedColumn } from '#load/telemetry';

/**
 * Hot path: one lookup for each row of a run.
 *
 * Numbers accounts in the order of first sight. Open addressing over the bytes of the addresses: an address
 * is already a hash, so its first four bytes select the slot. No string is created for a row. Invariant: the
 * number of slots is a power of two, at most half are full; 0 marks a free slot, others hold number + 1.
 */
const ADDRESS_BYTES = 20;
const FIRST_CAPACITY = 1_024;

export class AccountIndex {
  #slots = new Int32Array(FIRST_CAPACITY * 2);
  #addresses = new Uint8Array(FIRST_CAPACITY * ADDRESS_BYTES);
  size = 0;

  /** The account with the 20 address bytes at `offset`; a new account gets the next number. */
  number(bytes: Uint8Array, offset: number): number {
    const slot = this.#slotOf(bytes, offset);
    const found = this.#slots[slot]!;
    if (found !== 0) return found - 1;
    if (this.size * 2 >= this.#slots.length - 2) {
      this.#grow();
      return this.#insert(bytes, offset, this.#slotOf(bytes, offset));
    }
    return this.#insert(bytes, offset, slot);
  }

  /** Like `number`, but −1 for an unknown account. */
  find(bytes: Uint8Array, offset: number): number {
    return this.#slots[this.#slotOf(bytes, offset)]! - 1;
  }

  /** The 20 address bytes of an account. */
  address(account: number): Uint8Array {
    return this.#addresses.subarray(account * ADDRESS_BYTES, (account + 1) * ADDRESS_BYTES);
  }

  #slotOf(bytes: Uint8Array, offset: number): number {
    const mask = this.#slots.length - 1;
    let slot = firstWord(bytes, offset) & mask;
    for (;;) {
      const found = this.#slots[slot]!;
      if (found === 0 || this.#isAt(found - 1, bytes, offset)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #isAt(account: number, bytes: Uint8Array, offset: number): boolean {
    const start = account * ADDRESS_BYTES;
    for (let index = 0; index < ADDRESS_BYTES; index++) {
      if (this.#addresses[start + index]! !== bytes[offset + index]!) return false;
    }
    return true;
  }

  #insert(bytes: Uint8Array, offset: number, slot: number): number {
    const account = this.size;
    this.#addresses.set(bytes.subarray(offset, offset + ADDRESS_BYTES), account * ADDRESS_BYTES);
    this.#slots[slot] = account + 1;
    this.size += 1;
    return account;
  }

  #grow(): void {
    const addresses = new Uint8Array(this.#addresses.length * 2);
    addresses.set(this.#addresses);
    this.#addresses = addresses;
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let account = 0; account < this.size; account++) {
      this.#slots[this.#slotOf(addresses, account * ADDRESS_BYTES)] = account + 1;
    }
  }
}

function firstWord(bytes: Uint8Array, offset: number): number {
  return bytes[offset]! | (bytes[offset + 1]! << 8) | (bytes[offset + 2]! << 16) | (bytes[offset + 3]! << 24);
}

/**
 * The account number of each row; every distinct address of the batch is looked up once.
 */
export function accountNumbers(column: FixedColumn, index: AccountIndex, known: 'add' | 'find'): Int32Array {
  const count = column.bytes.length / column.width;
  const numbers = new Int32Array(count);
  for (let code = 0; code < count; code++) {
    const offset = code * column.width;
    numbers[code] = known === 'add' ? index.number(column.bytes, offset) : index.find(column.bytes, offset);
  }
  return column.codes.map((code) => (code === -1 ? -1 : numbers[code]!));
}
