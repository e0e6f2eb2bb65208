/** What a failure of the database means for who writes or reads. */
import pg from 'pg';
import { DomainError } from '#platform/foundation';

/**
 * `again`: nothing was kept, the same may succeed now. `away`: the connection is of no use any more.
 * `refused`: it will not succeed by itself.
 */
export type SqlFailure = 'again' | 'away' | 'refused';

const SERIALIZATION = new Set(['40001', '40P01', '55P03']);
/** Shutting down, starting, a standby, a transaction that idled too long. */
const AWAY = /^(?:57P|08|25006|25P03|57014)/;

export function failureOf(error: unknown): SqlFailure {
  if (error instanceof DomainError) return 'refused';
  const code = codeOf(error);
  if (code === undefined) return 'away';
  if (SERIALIZATION.has(code)) return 'again';
  return AWAY.test(code) ? 'away' : 'refused';
}

/** SQLSTATE; undefined of what the database did not say. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** For people, without what may be a secret. */
export function reasonOf(error: unknown): string {
  if (error instanceof pg.DatabaseError) return `${error.message} (${error.code ?? 'no code'})`;
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message : String(error);
}

export function unavailable(reason: string, cause?: unknown): DomainError {
  return new DomainError('STORE_UNAVAILABLE', `the store takes no writes: ${reason}`, { cause });
}
