/**
 * The first key and the position of each block. *Hot path*: indexes are below the number of blocks.
 */
import { compareBytes, startsWith } from '../encoding/byte-order.ts';
import { getU16, getU64, setU16, setU64 } from '../encoding/integers.ts';
import type { KeyRange } from '../store/records.ts';
import { INDEX_ENTRY_HEADER_BYTES } from './segment-format.ts';

export interface IndexEntry {
  readonly offset: number;
  readonly maxSeq: number;
  readonly firstKey: Uint8Array;
}

export function encodeIndex(entries: readonly IndexEntry[]): Uint8Array {
  const length = entries.reduce((sum, entry) => sum + INDEX_ENTRY_HEADER_BYTES + entry.firstKey.length, 0);
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const entry of entries) {
    setU64(bytes, at, entry.offset);
    setU64(bytes, at + 8, entry.maxSeq);
    setU16(bytes, at + 16, entry.firstKey.length);
    bytes.set(entry.firstKey, at + INDEX_ENTRY_HEADER_BYTES);
    at += INDEX_ENTRY_HEADER_BYTES + entry.firstKey.length;
  }
  return bytes;
}

export class SparseIndex {
  readonly #entries: readonly IndexEntry[];
  /** End of the last block. */
  readonly #end: number;

  constructor(bytes: Uint8Array, blocks: number, end: number) {
    const entries: IndexEntry[] = [];
    for (let at = 0; entries.length < blocks;) {
      const keyStart = at + INDEX_ENTRY_HEADER_BYTES;
      const next = keyStart + getU16(bytes, at + 16);
      const firstKey = bytes.subarray(keyStart, next);
      entries.push({ offset: getU64(bytes, at), maxSeq: getU64(bytes, at + 8), firstKey });
      at = next;
    }
    this.#entries = entries;
    this.#end = end;
  }

  /** The only block that can hold `key`; −1 if every key is greater. */
  blockOf(key: Uint8Array): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes(this.#entries[middle]!.firstKey, key) <= 0) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The blocks that can hold keys of the range and records later than `sinceSeq`, ascending. */
  blocksOf({ prefix, from, before }: KeyRange, sinceSeq: number): number[] {
    const blocks: number[] = [];
    const first = Math.max(0, this.blockOf(prefix), from === undefined ? 0 : this.blockOf(from));
    for (let block = first; block < this.#entries.length; block++) {
      const { firstKey, maxSeq } = this.#entries[block]!;
      if (compareBytes(firstKey, prefix) > 0 && !startsWith(firstKey, prefix)) break;
      if (before !== undefined && compareBytes(firstKey, before) >= 0) break;
      if (maxSeq > sinceSeq) blocks.push(block);
    }
    return blocks;
  }

  startOf(block: number): number {
    return this.#entries[block]!.offset;
  }

  endOf(block: number): number {
    return this.#entries[block + 1]?.offset ?? this.#end;
  }
}
