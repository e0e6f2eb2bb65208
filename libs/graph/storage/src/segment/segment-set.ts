import type { SegmentReader } from './segment-reader.ts';

/** The open segments, oldest first. The list is replaced, never changed: whoever took it keeps his view. */
export class SegmentSet {
  #readers: readonly SegmentReader[];

  constructor(readers: readonly SegmentReader[]) {
    this.#readers = readers;
  }

  get readers(): readonly SegmentReader[] {
    return this.#readers;
  }

  get bytes(): number {
    return this.#readers.reduce((sum, reader) => sum + reader.bytes, 0);
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
}
