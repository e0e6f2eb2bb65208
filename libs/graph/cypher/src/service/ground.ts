/** What a transaction reads and writes. */
import type { Graph, GraphTransaction, SeqPoint } from '#graph/engine';
import { ScopedSnapshot } from '#graph/memory';
import type { Scope } from '#graph/model';
import type { PropertyGraph } from '../graph/property-graph.port.ts';
import { SnapshotGraph } from '../graph/snapshot-graph.ts';
import { TransactionGraph } from '../overlay/transaction-graph.ts';
import type { SchemaCatalogue } from '../schema/schema-catalogue.ts';
import { TransactionSchema } from '../schema/transaction-schema.ts';
import { type OpenOptions, readingOf, type StoredGround } from './past-transaction.ts';

export interface Ground {
  readonly stored: StoredGround;
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
  const mayWrite = access === 'write' && past === undefined;
  const stored = past === undefined ? present(graph, mayWrite, scope) : readingOf(past, durablePoint(graph));
  const base = new SnapshotGraph(stored.snapshot);
  const changes = mayWrite ? new TransactionGraph(base) : undefined;
  return {
    stored,
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
function present(graph: Graph, mayWrite: boolean, scope: Scope | undefined): StoredGround {
  if (mayWrite) return transactionWithin(graph.transaction(), scope);
  const snapshot = graph.snapshotWithin(scope);
  return readingOf(snapshot, { epoch: graph.epoch, seq: snapshot.snapshotVersion });
}

function transactionWithin(transaction: GraphTransaction, scope: Scope | undefined): StoredGround {
  if (scope === undefined) return transaction;
  return {
    point: transaction.point,
    snapshot: new ScopedSnapshot(transaction.snapshot, scope),
    commit: (changes) => transaction.commit(changes),
    end: () => {
      transaction.end();
    },
  };
}

export function durablePoint({ epoch, durableVersion }: Graph): SeqPoint {
  return { epoch, seq: durableVersion };
}
