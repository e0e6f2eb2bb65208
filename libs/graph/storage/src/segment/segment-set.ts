import type { StorageLog } from '../store/storage.port.ts';
import type { DamagePlace } from '../store/store-error.ts';
import type { SegmentDamage } from './segment-check.ts';
import type { SegmentReader } from './segment-reader.ts';

/**
 * The open segments, oldest first, and what is known to be damaged of them. The list is replaced, never
 * changed: whoever took it keeps his view.
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

  /** A segment that was merged meanwhile is missing rightly; what came of it was read for that. */
  get damage(): readonly SegmentDamage[] {
    return this.#found.filter(({ file }) => this.#readers.some(({ name }) => name === file));
  }

  add(reader: SegmentReader): void {
    this.#readers = [...this.#readers, reader];
  }

  /** Puts `replacement` in the place of `inputs`, which are neighbours. */
  replace(inputs: readonly SegmentReader[], replacement: SegmentReader | undefined): void {
    const at = this.#readers.findIndex((reader) => reader === inputs[0]);
    const middle = replacement === undefined ? [] : [replacement];
    this.#readers = [...this.#readers.slice(0, at), ...middle, ...this.#readers.slice(at + inputs.length)];
  }

  /** Whether a segment of the set is known to hold what cannot be read. */
  isDamaged(name: string): boolean {
    return this.damage.some(({ file }) => file === name);
  }

  /** All segments were read: this is what is damaged, and nothing else. */
  checked(found: readonly SegmentDamage[]): void {
    this.#found = found;
    for (const damage of this.damage) this.#report(damage);
  }

  /** A reader met this. A block of a segment that is known already adds nothing. */
  noteDamage(place: DamagePlace, reason: string): void {
    if (this.#found.some(({ file }) => file === place.file)) return;
    const damage = { ...place, reason, blocks: 1 };
    this.#found = [...this.#found, damage];
    this.#report(damage);
  }

  #report(damage: SegmentDamage): void {
    this.#log?.error({ event: 'storage.damaged', ...damage }, 'a segment is damaged: restore a backup');
  }
}
