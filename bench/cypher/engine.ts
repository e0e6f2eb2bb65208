import type { GraphTables } from './graph-tables.ts';

export type Parameters = Readonly<Record<string, string | number>>;

/** One engine with one graph, asked in its own dialect. */
export interface CypherEngine {
  readonly name: string;
  readonly version: string;
  /** The rows of a statement: the values of its columns. */
  ask(cypher: string, parameters: Parameters): Promise<readonly (readonly unknown[])[]>;
  close(): Promise<void> | void;
}

export type OpenEngine = (directory: string, tables: GraphTables) => Promise<CypherEngine>;

/** Rows in one load. */
export const BATCH_ROWS = 1_000;

export function* batchesOf<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += BATCH_ROWS) yield rows.slice(start, start + BATCH_ROWS);
}
