/** One file of the crashing disk: its content, and the part that is durable. */

export const SECTOR_BYTES = 512;
const GROWTH = 2;

export class CrashInode {
  #bytes = new Uint8Array(0);
  #length = 0;
  /** Content at the last sync. */
  #synced: Uint8Array;
  /** Sectors written since the last sync. */
  readonly #dirty = new Set<number>();
  /** Logical clock, incremented by each change. */
  changes = 0;

  constructor(synced = new Uint8Array(0)) {
    this.#synced = synced;
    this.#bytes = synced.slice();
    this.#length = synced.length;
  }

  get length(): number {
    return this.#length;
  }

  read(into: Uint8Array, position: number): number {
    const count = Math.max(0, Math.min(into.length, this.#length - position));
    into.set(this.#bytes.subarray(position, position + count));
    return count;
  }

  write(bytes: Uint8Array, position: number): void {
    this.changes++;
    const end = position + bytes.length;
    this.#reserve(end);
    this.#bytes.set(bytes, position);
    this.#length = Math.max(this.#length, end);
    this.#markDirty(position, end);
  }

  truncate(length: number): void {
    this.changes++;
    this.#reserve(length);
    this.#bytes.fill(0, Math.min(length, this.#length));
    this.#markDirty(Math.min(length, this.#length), Math.max(length, this.#length));
    this.#length = length;
  }

  sync(): void {
    this.#synced = this.#bytes.slice(0, this.#length);
    this.#dirty.clear();
  }

  /** The content after a power loss: the synced bytes, and a random subset of later sectors. */
  survivor(random: () => number): CrashInode {
    const length = random() < 0.5 ? this.#length : this.#synced.length;
    const bytes = new Uint8Array(length);
    bytes.set(this.#synced.subarray(0, length));
    for (const sector of this.#dirty) {
      if (random() < 0.5) continue;
      const start = sector * SECTOR_BYTES;
      const end = Math.min(start + SECTOR_BYTES, this.#length, length);
      if (start < end) bytes.set(this.#bytes.subarray(start, end), start);
    }
    return new CrashInode(bytes);
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(length, this.#bytes.length * GROWTH));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }

  #markDirty(start: number, end: number): void {
    for (let sector = Math.floor(start / SECTOR_BYTES); sector * SECTOR_BYTES < end; sector++) {
      this.#dirty.add(sector);
    }
  }
}
