/**
 * The versions of a delta by the value of a field, as the base's indexes have its rows. A field is indexed at
 * the second look for it; later looks add the versions since then, so that all snapshots of the delta share
 * one index. *Hot path* of transactions, which look for one value at a time.
 */
import type { FieldValue, Scalar } from '#graph/model';
import type { Steps } from '#platform/foundation';
import { Uint32List } from '../array/number-list.ts';

const FIELDS_MAX = 16;
const VERSIONS_PER_STEP = 16;

export class DeltaValues {
  readonly #fieldOf: (version: number, field: string) => FieldValue;
  /** By field; undefined for one that was looked for once. */
  readonly #indexes = new Map<string, FieldIndex | undefined>();

  /** `fieldOf` reads the content of a version; undefined for one that repeats the base's. */
  constructor(fieldOf: (version: number, field: string) => FieldValue) {
    this.#fieldOf = fieldOf;
  }

  /**
   * Versions among the first `limit` whose content has one of the values in a field of the content, alone or
   * in a list; any order. Versions that repeat the base's content are not among them. Undefined if the field
   * has no index.
   */
  *find(field: string, values: readonly Scalar[], limit: number): Steps<ReadonlySet<number> | undefined> {
    const index = this.#indexOf(field);
    if (index === undefined) return undefined;
    for (let added = 1; index.next <= limit; added++) {
      index.add(this.#fieldOf(index.next, field));
      if (added % VERSIONS_PER_STEP === 0) yield;
    }
    const found = new Set<number>();
    for (const value of values) yield* index.collect(value, limit, found);
    return found;
  }

  #indexOf(field: string): FieldIndex | undefined {
    const known = this.#indexes.get(field);
    if (known !== undefined) return known;
    if (!this.#indexes.has(field)) {
      if (this.#indexes.size < FIELDS_MAX) this.#indexes.set(field, undefined);
      return undefined;
    }
    const index = new FieldIndex();
    this.#indexes.set(field, index);
    return index;
  }
}

/** Entries of one value are a chain, from the newest to the oldest. */
class FieldIndex {
  /** The version to add next. */
  next = 1;
  readonly #newest = new Map<Scalar, number>();
  /** Versions by entry, from 1. */
  readonly #versions = Uint32List.of(new Uint32Array(1));
  readonly #older = Uint32List.of(new Uint32Array(1));

  add(value: FieldValue): void {
    const version = this.next++;
    if (value === undefined || value === null) return;
    if (Array.isArray(value)) for (const item of value as readonly Scalar[]) this.#link(item, version);
    else this.#link(value as Scalar, version);
  }

  *collect(value: Scalar, limit: number, found: Set<number>): Steps<void> {
    let looked = 0;
    for (let entry = this.#newest.get(value) ?? 0; entry !== 0; entry = this.#older.data[entry]!) {
      const version = this.#versions.data[entry]!;
      if (version <= limit) found.add(version);
      if (++looked % VERSIONS_PER_STEP === 0) yield;
    }
  }

  #link(value: Scalar, version: number): void {
    const entry = this.#versions.push(version);
    this.#older.push(this.#newest.get(value) ?? 0);
    this.#newest.set(value, entry);
  }
}
