import type { GraphReader } from './graph-reader.port.ts';

const EVERYTHING = { names: '*' } as const;

/** Tells whether what was found out about the data of a snapshot holds for another one. Holds no reader. */
export class DataState {
  readonly #version: number;
  readonly #linkBound: number;
  readonly #nodes: number;
  readonly #scopeKey: string | undefined;

  constructor(reader: GraphReader) {
    this.#version = reader.snapshotVersion;
    this.#linkBound = reader.linkBound;
    this.#nodes = reader.estimate(EVERYTHING);
    this.#scopeKey = reader.scopeKey;
  }

  /** Equal for snapshots of one graph with the same data (with or without deleted entities). */
  isOf(reader: GraphReader): boolean {
    return (
      reader.snapshotVersion === this.#version &&
      reader.scopeKey === this.#scopeKey &&
      reader.linkBound === this.#linkBound &&
      reader.estimate(EVERYTHING) === this.#nodes
    );
  }
}
