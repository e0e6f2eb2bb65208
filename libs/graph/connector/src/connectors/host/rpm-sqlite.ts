/** The database of rpm in SQLite, since 4.16: each row is the header of a package. */
import { pathToFileURL } from 'node:url';
import { DomainError } from '#platform/foundation';
import type { InstalledPackage } from './installed-package.ts';
import { packagesOfHeaders } from './rpm-header.ts';

/** Throws INVALID_REQUEST for a file that is none, or is damaged. */
export async function readRpmSqlite(path: string): Promise<readonly InstalledPackage[]> {
  // Loaded when it is needed: Node warns that it is new.
  const { DatabaseSync } = await import('node:sqlite');
  const url = pathToFileURL(path);
  // Nothing is written beside it, not even a lock.
  url.searchParams.set('immutable', '1');
  const database = new DatabaseSync(url, { readOnly: true });
  try {
    const { quick_check: fault } = database.prepare('PRAGMA quick_check(1)').get() ?? {};
    if (fault !== 'ok')
      throw new Error(`a damaged one (${String(fault).replaceAll('\n', ' ').slice(0, 200)})`);
    const rows = database.prepare('SELECT blob FROM Packages ORDER BY hnum').iterate();
    return packagesOfHeaders(headersIn(rows), damaged);
  } catch (cause) {
    if (cause instanceof DomainError) throw cause;
    const why = cause instanceof Error ? cause.message : 'unreadable';
    throw new DomainError('INVALID_REQUEST', `expected the SQLite database of rpm, got: ${why}`, { cause });
  } finally {
    database.close();
  }
}

function* headersIn(rows: Iterable<Readonly<Record<string, unknown>>>): Iterable<Uint8Array> {
  let index = 0;
  for (const { blob } of rows) {
    if (!(blob instanceof Uint8Array)) throw damaged(index);
    yield blob;
    index++;
  }
}

function damaged(index: number): DomainError {
  return new DomainError(
    'INVALID_REQUEST',
    `expected the header of a package in row ${index + 1} of rpmdb.sqlite`,
  );
}
