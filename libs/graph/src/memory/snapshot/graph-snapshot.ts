import type { GraphReader } from './graph-reader.ts';
/** One immutable view of the graph; satisfies the query engine's `GraphReader`. */
export interface GraphSnapshot extends GraphReader {
  readonly includesDeleted: boolean;
  linkById(id: string): number;
  release(): void;
}
