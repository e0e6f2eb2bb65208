/**
 * Interned stamps: a whole batch usually shares one. On the *hot path* of ingest and replies.
 *
 *   numbers   6 × f64 for each stamp: synced_at, created_at, updated_at, last_seen_at, deleted_at or NaN,
 *             version
 *   sources   u32 for each stamp: number of its (connector, sync) pair
 */
import { Float64List, Uint32List } from '../array/number-list.ts';
import type { Stamp } from './version.ts';

const STRIDE = 6;
const RENDERED_MAX = 16_384;
const DELETED = 4;
const NONE = -1;

export interface SourcePair {
  readonly connectorId: string;
  readonly syncId: string;
}

export interface StampTableParts {
  readonly numbers: Float64Array;
  readonly sources: Uint32Array;
  readonly pairs: readonly SourcePair[];
}

export class StampTable {
  readonly #numbers = new Float64List();
  readonly #sources = new Uint32List();
  readonly pairs: SourcePair[] = [];
  readonly #pairNumbers = new Map<string, number>();
  /** The last stamp of each hash; and, by stamp, the previous one with the same hash. */
  readonly #lastOfHash = new Map<number, number>();
  readonly #before = new Map<number, number>();
  readonly #rendered = new Map<number, Uint8Array>();
  readonly #fields = new Map<number, StampFields>();
  #lastPair = -1;
  #lastStamp: Stamp | undefined;
  #lastNumber = 0;
  #read: { readonly number: number; readonly stamp: Stamp } | undefined;

  static of({ numbers, sources, pairs }: StampTableParts): StampTable {
    const table = new StampTable();
    table.#numbers.data = numbers;
    table.#numbers.length = numbers.length;
    table.#sources.data = sources;
    table.#sources.length = sources.length;
    table.pairs.push(...pairs);
    return table;
  }

  get length(): number {
    return this.#sources.length;
  }

  parts(): StampTableParts {
    return {
      numbers: this.#numbers.data.slice(0, this.#numbers.length),
      sources: this.#sources.toArray(),
      pairs: this.pairs,
    };
  }

  /** The number of an equal interned stamp, else a new one. */
  intern(stamp: Stamp): number {
    if (stamp === this.#lastStamp) return this.#lastNumber;
    this.#lastStamp = stamp;
    this.#lastNumber = this.#intern(stamp);
    return this.#lastNumber;
  }

  #intern(stamp: Stamp): number {
    const source = this.#pair(stamp.connectorId, stamp.syncId);
    const values = valuesOf(stamp);
    const hash = hashOf(source, values);
    const last = this.#lastOfHash.get(hash) ?? NONE;
    for (let known = last; known !== NONE; known = this.#before.get(known) ?? NONE)
      if (this.#isSame(known, source, stamp)) return known;
    const number = this.#sources.push(source);
    for (const value of values) this.#numbers.push(value);
    this.#lastOfHash.set(hash, number);
    if (last !== NONE) this.#before.set(number, last);
    return number;
  }

  /** Returns the same object for repeated calls with one number, which neighbours usually share. */
  get(number: number): Stamp {
    if (this.#read?.number !== number) this.#read = { number, stamp: this.#get(number) };
    return this.#read.stamp;
  }

  #get(number: number): Stamp {
    const at = number * STRIDE;
    const data = this.#numbers.data;
    const pair = this.pairs[this.#sources.data[number]!]!;
    return {
      connectorId: pair.connectorId,
      syncId: pair.syncId,
      syncedAtMs: data[at]!,
      createdAtMs: data[at + 1]!,
      updatedAtMs: data[at + 2]!,
      lastSeenAtMs: data[at + 3]!,
      deletedAtMs: Number.isNaN(data[at + DELETED]) ? null : data[at + DELETED]!,
      version: data[at + 5]!,
    };
  }

  deletedAtMs(number: number): number {
    return this.#numbers.data[number * STRIDE + DELETED]!;
  }

  /** `,"source":…,"version":n}`: what completes a head to a reply. */
  rendered(number: number): Uint8Array {
    const known = this.#rendered.get(number);
    if (known !== undefined) return known;
    if (this.#rendered.size >= RENDERED_MAX) this.#rendered.clear();
    const bytes = Buffer.from(`,${JSON.stringify(this.fields(number)).slice(1)}`, 'utf8');
    this.#rendered.set(number, bytes);
    return bytes;
  }

  #isSame(number: number, source: number, stamp: Stamp): boolean {
    const at = number * STRIDE;
    const data = this.#numbers.data;
    return (
      this.#sources.data[number] === source &&
      data[at] === stamp.syncedAtMs &&
      data[at + 1] === stamp.createdAtMs &&
      data[at + 2] === stamp.updatedAtMs &&
      data[at + 3] === stamp.lastSeenAtMs &&
      Object.is(data[at + DELETED], stamp.deletedAtMs ?? NaN) &&
      data[at + 5] === stamp.version
    );
  }

  /** The fields of a stamp, shared by all callers. */
  fields(number: number): StampFields {
    const known = this.#fields.get(number);
    if (known !== undefined) return known;
    if (this.#fields.size >= RENDERED_MAX) this.#fields.clear();
    const fields = stampFields(this.get(number));
    this.#fields.set(number, fields);
    return fields;
  }

  #pair(connectorId: string, syncId: string): number {
    const last = this.pairs[this.#lastPair];
    if (last?.connectorId === connectorId && last.syncId === syncId) return this.#lastPair;
    const key = `${connectorId}\0${syncId}`;
    let number = this.#pairNumbers.get(key);
    if (number === undefined) {
      number = this.pairs.push({ connectorId, syncId }) - 1;
      this.#pairNumbers.set(key, number);
    }
    this.#lastPair = number;
    return number;
  }
}

function valuesOf(stamp: Stamp): number[] {
  const { syncedAtMs, createdAtMs, updatedAtMs, lastSeenAtMs, deletedAtMs, version } = stamp;
  return [syncedAtMs, createdAtMs, updatedAtMs, lastSeenAtMs, deletedAtMs ?? NaN, version];
}

/** Mixes the bits well: stamps of one run differ little. */
function hashOf(source: number, values: ArrayLike<number>): number {
  let hash = source;
  for (let at = 0; at < STRIDE; at++) {
    const value = values[at]!;
    const low = Number.isNaN(value) ? 1 : value % 0x1_0000_0000;
    hash = Math.imul(hash ^ low, 0x9e37_79b1);
    hash ^= hash >>> 15;
  }
  return hash;
}

export interface StampFields {
  readonly source: { readonly connector_id: string; readonly sync_id: string; readonly synced_at: string };
  readonly created_at: string;
  readonly updated_at: string;
  readonly last_seen_at: string;
  readonly deleted_at: string | null;
  readonly version: number;
}

/** The fields in the order of replies. */
export function stampFields(stamp: Stamp): StampFields {
  return {
    source: Object.freeze({
      connector_id: stamp.connectorId,
      sync_id: stamp.syncId,
      synced_at: instant(stamp.syncedAtMs),
    }),
    created_at: instant(stamp.createdAtMs),
    updated_at: instant(stamp.updatedAtMs),
    last_seen_at: instant(stamp.lastSeenAtMs),
    deleted_at: stamp.deletedAtMs === null ? null : instant(stamp.deletedAtMs),
    version: stamp.version,
  };
}

/** A field of the stamp; undefined for other fields. */
export function stampField(stamp: Stamp, field: string): string | null | undefined {
  switch (field) {
    case '_source':
      return stamp.connectorId;
    case '_created_at':
      return instant(stamp.createdAtMs);
    case '_updated_at':
      return instant(stamp.updatedAtMs);
    case '_last_seen_at':
      return instant(stamp.lastSeenAtMs);
    case '_deleted_at':
      return stamp.deletedAtMs === null ? null : instant(stamp.deletedAtMs);
    default:
      return undefined;
  }
}

export const STAMP_FIELDS: ReadonlySet<string> = new Set([
  '_source',
  '_created_at',
  '_updated_at',
  '_last_seen_at',
  '_deleted_at',
]);

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
