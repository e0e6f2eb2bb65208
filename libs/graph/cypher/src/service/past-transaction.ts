/** Transactions as of an earlier moment, which only read. */
import { type AskedMoment, type GraphTransaction, momentOf, type SeqPoint } from '#graph/engine';
import type { GraphSnapshot, ScopedSnapshot } from '#graph/memory';
import type { DomainError } from '#platform/foundation';
import { runtimeFault } from '../syntax/fault.ts';
import type { CypherMap, Value } from '../value/value.ts';
import type { TransactionOptions } from './transaction.port.ts';

/** How a transaction is opened. */
export interface OpenOptions extends TransactionOptions {
  /** The graph of an earlier moment, in the scope, which is only read; default: that of now. */
  readonly past?: ReadSnapshot | undefined;
}

/** All of a graph, or the part of it that exists in a scope. */
export type ReadSnapshot = GraphSnapshot | ScopedSnapshot;

/** What a transaction needs of a stored one. */
export interface StoredGround extends Pick<GraphTransaction, 'point' | 'commit' | 'end'> {
  readonly snapshot: ReadSnapshot;
}

/** The moment `as_of` of a transaction's metadata; other names are the client's own. */
export function momentIn(metadata: CypherMap | undefined): AskedMoment | undefined {
  const value = metadata?.get('as_of') ?? null;
  if (value === null) return undefined;
  const asked = momentOfValue(value);
  if (asked !== undefined) return asked;
  throw runtimeFault(
    'InvalidArgumentValue',
    'Neo.ClientError.Statement.ArgumentError',
    "the transaction's metadata, as_of: expected a time (RFC 3339), a sequence number, or a bookmark",
  );
}

function momentOfValue(value: Value): AskedMoment | undefined {
  if (typeof value === 'bigint') return momentOf(Number(value));
  return typeof value === 'string' || typeof value === 'number' ? momentOf(value) : undefined;
}

/** Reads a moment. `point` is that of now: a client does not go back in time. */
export function readingOf(snapshot: ReadSnapshot, point: SeqPoint): StoredGround {
  return {
    point,
    snapshot,
    commit: () => Promise.reject(pastFault()),
    end: () => {
      snapshot.release();
    },
  };
}

export function readingFault(): DomainError {
  return runtimeFault(
    'NotSupported',
    'Neo.ClientError.Statement.AccessMode',
    'the statement writes, and the transaction was begun for reading',
  );
}

export function pastFault(): DomainError {
  return runtimeFault(
    'NotSupported',
    'Neo.ClientError.Statement.AccessMode',
    'the statement writes, and the transaction is as of an earlier moment, which can only be read',
  );
}
