/**
 * Hot path: sent transactions by hash. Each hash in the feed, of all senders, is looked up here. The key is
 * the first 32 bits, a small integer: five times as fast as a text of the hash. Hashes with equal keys are
 * chained, and every hit is compared over all 32 bytes.
 */

/** An entry of the index, with the link of its chain. */
export interface Hashed<T> {
  readonly hash: Uint8Array;
  twin: T | undefined;
}

const HASH_BYTES = 32;

export class HashIndex<T extends Hashed<T>> {
  readonly #first = new Map<number, T>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Requires that the hash is not in the index. */
  add(entry: T): void {
    const key = keyAt(entry.hash, 0);
    entry.twin = this.#first.get(key);
    this.#first.set(key, entry);
    this.#size++;
  }

  /** The entry of the hash that begins at `at`. */
  find(bytes: Uint8Array, at = 0): T | undefined {
    let entry = this.#first.get(keyAt(bytes, at));
    while (entry !== undefined && !isHashAt(entry.hash, bytes, at)) entry = entry.twin;
    return entry;
  }

  remove(entry: T): void {
    const key = keyAt(entry.hash, 0);
    const first = this.#first.get(key);
    if (first === entry) {
      if (entry.twin === undefined) this.#first.delete(key);
      else this.#first.set(key, entry.twin);
      this.#size--;
      return;
    }
    for (let before = first; before !== undefined; before = before.twin) {
      if (before.twin !== entry) continue;
      before.twin = entry.twin;
      this.#size--;
      return;
    }
  }
}

function keyAt(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
}

function isHashAt(hash: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let i = 4; i < HASH_BYTES; i++) if (hash[i] !== bytes[at + i]) return false;
  return true;
}

/**
 * Hot path: the hashes of a run's completed transactions, kept until the end of the run to detect repetitions
 * in the feed and in blocks. 16 bytes per transaction, without objects: 64 bits of the hash, the account's
 * position, and the nonce. Open addressing; two hashes with equal 64 bits are expected at 10^9 transactions.
 * Invariants: the number of slots is a power of two, and at most three quarters of them are used; a slot with
 * position 0 is free, else it contains the position + 1.
 */
interface ArchivedTransaction {
  readonly position: number;
  readonly nonce: number;
}

const WORDS = 4;
const FIRST_SLOTS = 4_096;

export class SentArchive {
  #words = new Uint32Array(FIRST_SLOTS * WORDS);
  #mask = FIRST_SLOTS - 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(hash: Uint8Array, { position, nonce }: ArchivedTransaction): void {
    if (this.#size * 4 >= (this.#mask + 1) * 3) this.#grow();
    this.#put(wordAt(hash, 0), wordAt(hash, 4), position + 1, nonce);
  }

  /** The transaction of the hash that begins at `at`. */
  find(bytes: Uint8Array, at = 0): ArchivedTransaction | undefined {
    const high = wordAt(bytes, at);
    const slot = this.#slotOf(high, wordAt(bytes, at + 4)) * WORDS;
    const position = this.#words[slot + 2]!;
    return position === 0 ? undefined : { position: position - 1, nonce: this.#words[slot + 3]! };
  }

  #slotOf(high: number, low: number): number {
    const words = this.#words;
    let slot = low & this.#mask;
    for (;;) {
      const at = slot * WORDS;
      if (words[at + 2] === 0 || (words[at] === high && words[at + 1] === low)) return slot;
      slot = (slot + 1) & this.#mask;
    }
  }

  #put(high: number, low: number, mark: number, nonce: number): void {
    const at = this.#slotOf(high, low) * WORDS;
    if (this.#words[at + 2] === 0) this.#size++;
    this.#words[at] = high;
    this.#words[at + 1] = low;
    this.#words[at + 2] = mark;
    this.#words[at + 3] = nonce;
  }

  #grow(): void {
    const old = this.#words;
    this.#words = new Uint32Array(old.length * 2);
    this.#mask = this.#words.length / WORDS - 1;
    this.#size = 0;
    for (let at = 0; at < old.length; at += WORDS) {
      if (old[at + 2] !== 0) this.#put(old[at]!, old[at + 1]!, old[at + 2]!, old[at + 3]!);
    }
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}
