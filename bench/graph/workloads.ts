import type { Reach } from '../harness/table.ts';
import type { OperationName } from '../targets/target.ts';

/** A query workload of the table, with its goal. */
export interface Workload {
  readonly operation: OperationName;
  readonly title: string;
  readonly unit: 'ms' | '/s';
  readonly reach: readonly Reach[];
  readonly bound?: number;
}

const BEST_OF_ALL: readonly Reach[] = [{ against: 'best', factor: 50 }];
const COUNT_MS = 0.005;
const EITHER_MS = 0.04;

export const WORKLOADS: readonly Workload[] = [
  {
    operation: 'lookup',
    title: 'lookup by id to an object',
    unit: '/s',
    reach: [
      { against: 'sqlite', factor: 0 },
      { against: 'lmdb', factor: 1.2 },
    ],
  },
  {
    operation: 'hostsJson',
    title: "`FIND host WITH state = 'running'`, full entities to JSON bytes",
    unit: 'ms',
    reach: [{ against: 'sqlite', factor: 8 }],
  },
  { operation: 'count', title: 'the same, counted', unit: 'ms', reach: BEST_OF_ALL, bound: COUNT_MS },
  { operation: 'group', title: 'GROUP BY region', unit: 'ms', reach: BEST_OF_ALL, bound: COUNT_MS },
  {
    operation: 'notExists',
    title: 'NOT owner EXISTS, counted',
    unit: 'ms',
    reach: BEST_OF_ALL,
    bound: COUNT_MS,
  },
  {
    operation: 'either',
    title: 'OR of two fields, counted',
    unit: 'ms',
    reach: BEST_OF_ALL,
    bound: EITHER_MS,
  },
  {
    operation: 'rackJson',
    title: '10 rows by an indexed value, to JSON bytes',
    unit: 'ms',
    reach: [{ against: 'sqlite', factor: 8 }],
  },
  {
    operation: 'twoHopsSelective',
    title: 'two hops, selective end',
    unit: 'ms',
    reach: [{ against: 'sqlite', factor: 4 }],
  },
  {
    operation: 'twoHops',
    title: 'two hops, no selective end',
    unit: 'ms',
    reach: [{ against: 'duckdb', factor: 15 }],
  },
  {
    operation: 'breadthShallow',
    title: 'breadth-first, depth 4',
    unit: 'ms',
    reach: [{ against: 'best', factor: 8 }],
  },
  {
    operation: 'breadthDeep',
    title: 'breadth-first, depth 8',
    unit: 'ms',
    reach: [{ against: 'best', factor: 25 }],
  },
  {
    operation: 'shortestPath',
    title: 'shortest path',
    unit: 'ms',
    reach: [{ against: 'graphology', factor: 10 }],
  },
];

export const INGEST_REACH: readonly Reach[] = [
  { against: 'sqlite', factor: 8 },
  { against: 'postgres', factor: 5 },
  { against: 'duckdb', factor: 1.5 },
];

export const WRITERS_REACH: readonly Reach[] = [
  { against: 'postgres', factor: 6 },
  { against: 'lmdb', factor: 2 },
];

export const DISK_REACH: readonly Reach[] = [{ against: 'sqlite', factor: 1 / 0.6 }];

export const LOOKUP_P99_MS = 0.015;
export const OPEN_MS = 500;
export const BYTES_AN_ENTITY = 400;
export const ACKNOWLEDGEMENTS_A_SYNC = 10;

/** Targets whose batches are not synced by design, or which are not loaded in batches. */
export const NOT_DURABLE: readonly string[] = ['graphology', 'grafeo', 'ladybug'];
