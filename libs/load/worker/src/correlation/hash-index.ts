/**
 * Hot path: what was sent, by its hash. Each hash of the feed, of all senders, is looked up here. The key is
 * the first 32 bits, a small integer: five times as fast as any text of the hash. Hashes that share them are
 * chained, and every hit is compared over all 32 bytes.
 */

/** What can be found by its hash. Keeps the chain. */
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

  /** One entry for each hash. */
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
