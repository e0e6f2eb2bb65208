/** What a transaction reads and writes. */
import type { Graph, SeqPoint } from '#graph/engine';
import type { GraphReader } from '#graph/execution';
import { ScopedSnapshot } from '#graph/memory';
import type { PropertyGraph } from '../graph/property-graph.port.ts';
import { SnapshotGraph } from '../graph/snapshot-graph.ts';
import { TransactionGraph } from '../overlay/transaction-graph.ts';
import type { SchemaCatalogue } from '../schema/schema-catalogue.ts';
import { TransactionSchema } from '../schema/transaction-schema.ts';
import { type OpenOptions, readingOf, type StoredGround } from './past-transaction.ts';

export interface Ground {
  readonly stored: StoredGround;
  /** What is read of it. */
  readonly reader: GraphReader;
  /** As the statements see it. */
  readonly graph: PropertyGraph;
  /** The same graph, where statements may change it. */
  readonly changes: TransactionGraph | undefined;
  readonly schema: TransactionSchema;
  /** Of the constraints that its changes are tested against. */
  readonly constraintsVersion: number;
  /** Of the rules that it changes. */
  readonly schemaVersion: string;
  hasWritten: boolean;
}

export interface GroundParts {
  readonly graph: Graph;
  readonly catalogue: SchemaCatalogue;
}

export function beginGround({ graph, catalogue }: GroundParts, options: OpenOptions): Ground {
  const { access, scope, past } = options;
  const now = past && scope && graph.snapshot({ includeDeleted: true });
  const mayWrite = access === 'write' && past === undefined;
  const stored = past === undefined ? present(graph, mayWrite) : readingOf(past, durablePoint(graph), now);
  const reader = scope === undefined ? stored.snapshot : new ScopedSnapshot(stored.snapshot, scope, now);
  const base = new SnapshotGraph(reader);
  const changes = mayWrite ? new TransactionGraph(base) : undefined;
  return {
    stored,
    reader,
    graph: changes ?? base,
    changes,
    // Indexes and constraints name what a scope may hide.
    schema: new TransactionSchema(scope === undefined ? catalogue.rules : []),
    constraintsVersion: catalogue.constraintsVersion,
    schemaVersion: catalogue.version,
    hasWritten: false,
  };
}

/** One that reads alone needs no account of the writes beside it. */
function present(graph: Graph, mayWrite: boolean): StoredGround {
  if (mayWrite) return graph.transaction();
  const snapshot = graph.snapshot();
  return readingOf(snapshot, { epoch: graph.epoch, seq: snapshot.snapshotVersion });
}

export function durablePoint({ epoch, durableVersion }: Graph): SeqPoint {
  return { epoch, seq: durableVersion };
}
