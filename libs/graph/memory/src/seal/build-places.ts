/** Builds a column of places, or of numbers, for many distinct values. *Hot path* of sealing. */
import type { ValueKind } from '#graph/model';
import { Uint32List } from '../array/number-list.ts';
import type { ColumnMeta } from '../base/base-meta.ts';
import type { KindCounts } from '../column/field.ts';
import { hashBytes } from '../column/value-hash.ts';
import { valueEnd } from '../head/json-scan.ts';
import { buildHashIndex } from '../name/hash-index.ts';
import type { ColumnWork } from './column-work.ts';
import { dictionaryLimit, DictionaryBuilder } from './dictionary-builder.ts';

const QUOTE = 0x22;
const LIST = 0x5b;
const LIST_END = 0x5d;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const LETTER_T = 0x74;

/** One entry for each value, and for each item of a list. */
interface Entries {
  readonly hashes: Uint32Array;
  readonly rows: Uint32Array;
  /** The greatest end of a value, relative to the start of its head, plus one byte. */
  readonly reach: number;
}

export function buildPlaces(work: ColumnWork, places: Uint32Array): ColumnMeta | undefined {
  const facts = factsOf(work, places);
  if (facts.present === 0) return undefined;
  const entries = hashedEntries(work, places);
  if (!facts.hasLists && countDistinct(entries.hashes) <= dictionaryLimit(places.length) / 2) {
    const builder = new DictionaryBuilder(places.length);
    for (let row = 0; row < places.length; row++)
      if (places[row] !== 0) builder.addText(row, work.heads, places[row]!);
    if (!builder.isFull) return builder.finish(work.name, work.bag);
  }
  return facts.present === facts.kinds.number
    ? numberColumn(work, places)
    : placeColumn(work, places, { ...facts, entries });
}

interface ColumnFacts {
  readonly present: number;
  readonly nulls: number;
  readonly kinds: KindCounts;
  readonly hasLists: boolean;
}

function factsOf({ heads }: ColumnWork, places: Uint32Array): ColumnFacts {
  const kinds: KindCounts = {};
  let present = 0;
  let nulls = 0;
  let hasLists = false;
  for (let row = 0; row < places.length; row++) {
    if (places[row] === 0) continue;
    present++;
    const bytes = heads.bytes(row);
    const at = heads.start(row) + places[row]!;
    const isList = bytes[at] === LIST;
    hasLists ||= isList;
    const kind = scalarKind(bytes[isList ? at + 1 : at]!);
    if (kind === 'null') nulls += isList ? 0 : 1;
    else if (kind !== 'none') count(kinds, isList ? (`${kind}[]` as const) : kind);
  }
  return { present, nulls, kinds, hasLists };
}

function count(kinds: KindCounts, kind: ValueKind): void {
  kinds[kind] = (kinds[kind] ?? 0) + 1;
}

function scalarKind(first: number): 'string' | 'boolean' | 'number' | 'null' | 'none' {
  if (first === QUOTE) return 'string';
  if (first === LETTER_T || first === LETTER_F) return 'boolean';
  if (first === LETTER_N) return 'null';
  return first === LIST_END ? 'none' : 'number';
}

function hashedEntries({ heads }: ColumnWork, places: Uint32Array): Entries {
  const hashes = new Uint32List();
  const rows = new Uint32List();
  let reach = 0;
  for (let row = 0; row < places.length; row++) {
    if (places[row] === 0) continue;
    const bytes = heads.bytes(row);
    let at = heads.start(row) + places[row]!;
    const valueEndsAt = valueEnd(bytes, at);
    reach = Math.max(reach, valueEndsAt + 1 - heads.start(row));
    if (bytes[at] !== LIST) {
      hashes.push(hashBytes(bytes, at, valueEndsAt));
      rows.push(row);
      continue;
    }
    for (at++; bytes[at] !== LIST_END;) {
      const end = valueEnd(bytes, at);
      hashes.push(hashBytes(bytes, at, end));
      rows.push(row);
      at = bytes[end] === LIST_END ? end : end + 1;
    }
  }
  return { hashes: hashes.toArray(), rows: rows.toArray(), reach };
}

function countDistinct(hashes: Uint32Array): number {
  const sorted = hashes.toSorted();
  let count = 0;
  for (let at = 0; at < sorted.length; at++) if (at === 0 || sorted[at] !== sorted[at - 1]) count++;
  return count;
}

function placeColumn(
  { bag, name }: ColumnWork,
  places: Uint32Array,
  { entries, kinds, present, nulls }: ColumnFacts & { readonly entries: Entries },
): ColumnMeta {
  let max = 0;
  for (let row = 0; row < places.length; row++) if (places[row]! > max) max = places[row]!;
  const narrow = bag.unsigned(places.length, max);
  narrow.set(places);
  const ref = bag.refOf(narrow);
  const { hashes, rows, reach } = entries;
  const index = buildHashIndex(bag, { hashes, numbers: rows, bound: places.length });
  return { kind: 'places', name, places: ref, reach, index, kinds, present, nulls };
}

function numberColumn({ bag, name, heads }: ColumnWork, places: Uint32Array): ColumnMeta {
  const values = bag.float64(places.length).fill(NaN);
  const valuesPart = bag.last;
  for (let row = 0; row < places.length; row++) {
    if (places[row] === 0) continue;
    const bytes = heads.bytes(row);
    const at = heads.start(row) + places[row]!;
    values[row] = Number(bytes.toString('latin1', at, valueEnd(bytes, at)));
  }
  const rows = Uint32Array.from(values.keys()).filter((row) => !Number.isNaN(values[row]));
  rows.sort((a, b) => values[a]! - values[b]! || a - b);
  bag.uint32(rows.length).set(rows);
  return { kind: 'numbers', name, values: valuesPart, order: bag.last };
}
