/** Classifies database errors by what the caller can do. */
import pg from 'pg';
import { DomainError } from '#platform/foundation';

/**
 * `again`: nothing was committed, a retry may succeed. `away`: the connection is unusable. `refused`: a retry
 * fails the same way.
 */
export type SqlFailure = 'again' | 'away' | 'refused';

const SERIALIZATION = new Set(['40001', '40P01', '55P03']);
/** Shutdown, start-up, read-only standby, idle-in-transaction time-out; a prepared statement is not kept. */
const AWAY = /^(?:57P|08|25006|25P03|57014|26000|42P05)/;

export function failureOf(error: unknown): SqlFailure {
  if (error instanceof DomainError) return 'refused';
  const code = codeOf(error);
  if (code === undefined) return 'away';
  if (SERIALIZATION.has(code)) return 'again';
  return AWAY.test(code) ? 'away' : 'refused';
}

/** SQLSTATE; undefined if the error is not from the database. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** A message without possible secrets. */
export function reasonOf(error: unknown): string {
  if (error instanceof pg.DatabaseError) return `${error.message} (${error.code ?? 'no code'})`;
  if (error instanceof DomainError) return error.message;
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  if (error instanceof Error && 'code' in error && typeof error.code === 'string')
    return 'path' in error ? `${error.code} ${String(error.path)}` : error.code;
  return error instanceof Error ? error.message : String(error);
}

/** Throws what another attempt would not change. */
export function throwUnlessLost(error: unknown): void {
  if (error instanceof DomainError) throw error;
  if (failureOf(error) === 'refused') throw unavailable(reasonOf(error), error);
}

export function unknownOutcome(): DomainError {
  return unavailable('the outcome of the write is not known yet; repeat the request with its id');
}

export function unavailable(reason: string, cause?: unknown): DomainError {
  return new DomainError('STORE_UNAVAILABLE', `the store takes no writes: ${reason}`, { cause });
}
