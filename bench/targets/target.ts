import type { EntityRow, LinkRow } from '../data/rows.ts';
import type { Questions } from '../data/questions.ts';

/** A value or a promise: synchronous results are not delayed by a turn of the event loop. */
export type Maybe<T> = T | Promise<T>;

/** A complete entity; the digest of the answers covers all of it. */
export interface FoundEntity {
  readonly id: string;
}

/** The number of entities with a value; null counts those without one. */
export type Group = readonly [value: string | null, count: number];

/**
 * The query workloads. `at` selects one of the queries of that kind, so that no target answers the same one
 * twice in a row. JSON is UTF-8: an array of full records, or an object with them as `entities`.
 */
export interface Operations {
  lookup(at: number): Maybe<FoundEntity>;
  hostsJson(at: number): Maybe<Uint8Array>;
  count(at: number): Maybe<number>;
  group(at: number): Maybe<readonly Group[]>;
  notExists(at: number): Maybe<number>;
  either(at: number): Maybe<number>;
  rackJson(at: number): Maybe<Uint8Array>;
  twoHopsSelective(at: number): Maybe<number>;
  twoHops(at: number): Maybe<number>;
  breadthShallow(at: number): Maybe<number>;
  breadthDeep(at: number): Maybe<number>;
  /** Number of hops. */
  shortestPath(at: number): Maybe<number>;
}

export type OperationName = keyof Operations;

/** One engine under measurement, opened on its own directory. */
export interface Target {
  readonly version: string;
  /** The operations that are measured for it. */
  readonly operations: Partial<Operations>;
  /** Stores one batch; durable when it returns, on a disk that honours syncs. */
  addEntities(batch: readonly EntityRow[]): Maybe<void>;
  addRelationships(batch: readonly LinkRow[]): Maybe<void>;
  /** One row in its own transaction, durable when it returns; called by many writers concurrently. */
  addOne?(row: EntityRow): Maybe<void>;
  /** The maintenance after a bulk load: statistics, checkpoint, vacuum. */
  settle(): Maybe<void>;
  close(): Maybe<void>;
}

export interface TargetSetup {
  readonly directory: string;
  readonly questions: Questions;
  /** False when the directory holds a loaded store. */
  readonly isNew: boolean;
}

export type OpenTarget = (setup: TargetSetup) => Promise<Target>;

/** The query of this turn. */
export function inTurn<T>(list: readonly T[], at: number): T {
  const asked = list[at % list.length];
  if (asked === undefined) throw new Error('no question of this kind at this size: use more entities');
  return asked;
}

/** The single row of an answer. */
export function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error(`expected one row, got ${rows.length}`);
  return row;
}
