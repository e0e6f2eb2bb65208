/** The complete heads of a new segment's rows: the input of its columns. *Hot path* of sealing. */
import { Arena } from '../array/arena.ts';
import { decodeKinds } from '../head/kinds-text.ts';
import type { SealSources } from './seal-sources.ts';

export class RawHeads {
  readonly #arena = new Arena();
  readonly #references: Uint32Array;

  /** `nodes` are the rows' old numbers. */
  constructor(sources: SealSources, nodes: Uint32Array) {
    this.#references = nodes.map((node) => {
      const { bytes, start, end } = sources.head(node);
      return this.#arena.add(bytes.subarray(start, end));
    });
  }

  get length(): number {
    return this.#references.length;
  }

  /** Names of properties with kinds. */
  kinded(): readonly string[] {
    const names = new Set<string>();
    for (let row = 0; row < this.length; row++) {
      const kinds = decodeKinds(this.bytes(row), this.end(row));
      if (kinds !== undefined) for (const name of Object.keys(kinds)) names.add(name);
    }
    return [...names];
  }

  bytes(row: number): Buffer {
    return this.#arena.chunk(this.#references[row]!);
  }

  start(row: number): number {
    return this.#arena.start(this.#references[row]!);
  }

  end(row: number): number {
    return this.#arena.end(this.#references[row]!);
  }
}
