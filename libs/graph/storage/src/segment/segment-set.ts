import type { StorageLog } from '../store/storage.port.ts';
import type { DamagePlace } from '../store/store-error.ts';
import type { SegmentDamage } from './segment-check.ts';
import type { SegmentReader } from './segment-reader.ts';

/**
 * The open segments, oldest first, and their known damage. The list is replaced, never changed, so a reader's
 * copy stays consistent.
 */
export class SegmentSet {
  readonly #log: StorageLog | undefined;
  #readers: readonly SegmentReader[];
  #found: readonly SegmentDamage[] = [];

  constructor(readers: readonly SegmentReader[], log: StorageLog | undefined) {
    this.#readers = readers;
    this.#log = log;
  }

  get readers(): readonly SegmentReader[] {
    return this.#readers;
  }

  get bytes(): number {
    return this.#readers.reduce((sum, reader) => sum + reader.bytes, 0);
  }

  /** A missing segment is no damage if it was merged meanwhile: the merge has read it. */
  get damage(): readonly SegmentDamage[] {
    return this.#found.filter(({ file }) => this.#readers.some(({ name }) => name === file));
  }

  add(reader: SegmentReader): void {
    this.#readers = [...this.#readers, reader];
  }

  /** Replaces `inputs`, which are neighbours, by `replacement`. */
  replace(inputs: readonly SegmentReader[], replacement: SegmentReader | undefined): void {
    const at = this.#readers.findIndex((reader) => reader === inputs[0]);
    const middle = replacement === undefined ? [] : [replacement];
    this.#readers = [...this.#readers.slice(0, at), ...middle, ...this.#readers.slice(at + inputs.length)];
  }

  /** Whether a segment of the set is known to be damaged. */
  isDamaged(name: string): boolean {
    return this.damage.some(({ file }) => file === name);
  }

  /** Replaces the known damage after a read of all segments. */
  checked(found: readonly SegmentDamage[]): void {
    this.#found = found;
    for (const damage of this.damage) this.#report(damage);
  }

  /** Adds damage found by a reader, unless the segment is already known to be damaged. */
  noteDamage(place: DamagePlace, reason: string): void {
    if (this.#found.some(({ file }) => file === place.file)) return;
    const damage = { ...place, reason, blocks: 1 };
    this.#found = [...this.#found, damage];
    this.#report(damage);
  }

  #report(damage: SegmentDamage): void {
    this.#log?.error({ event: 'storage.damaged', ...damage }, 'segment damaged: restore a backup');
  }
}
