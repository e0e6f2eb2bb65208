/**
 * The database of rpm in SQLite: each row is the header of a package, an index of tags and a store of values
 * (https://rpm.org/docs/latest/manual/format_header.html).
 */
import { pathToFileURL } from 'node:url';
import { DomainError } from '#platform/foundation';
import type { InstalledPackage } from './installed-package.ts';

const TAG = {
  name: 1000,
  version: 1001,
  release: 1002,
  epoch: 1003,
  license: 1014,
  architecture: 1022,
  source: 1044,
};
const INDEX_BYTES = 16;
const INTEGER = 4;
/** Texts: one, a list, and one with translations. */
const TEXTS: ReadonlySet<number> = new Set([6, 8, 9]);
/** Keys of signatures stand in the database like packages. */
const KEYS = 'gpg-pubkey';

export async function readRpmDatabase(path: string): Promise<readonly InstalledPackage[]> {
  // Loaded when it is needed: Node warns that it is new.
  const { DatabaseSync } = await import('node:sqlite');
  const url = pathToFileURL(path);
  // Nothing is written beside it, not even a lock.
  url.searchParams.set('immutable', '1');
  const database = new DatabaseSync(url, { readOnly: true });
  try {
    const packages: InstalledPackage[] = [];
    for (const { blob } of database.prepare('SELECT blob FROM Packages ORDER BY hnum').iterate()) {
      if (!(blob instanceof Uint8Array)) throw damaged(packages.length);
      const found = packageOf(new DataView(blob.buffer, blob.byteOffset, blob.length), packages.length);
      if (found.name !== KEYS) packages.push(found);
    }
    return packages;
  } catch (cause) {
    if (cause instanceof DomainError) throw cause;
    const why = cause instanceof Error ? cause.message : 'unreadable';
    throw new DomainError('INVALID_REQUEST', `expected the SQLite database of rpm, got: ${why}`, { cause });
  } finally {
    database.close();
  }
}

function packageOf(header: DataView, row: number): InstalledPackage {
  try {
    const values = valuesOf(header);
    const name = values.get(TAG.name);
    const version = values.get(TAG.version);
    if (name === undefined || version === undefined) throw damaged(row);
    const epoch = values.get(TAG.epoch);
    const release = values.get(TAG.release);
    const source = values.get(TAG.source)?.replace(/-[^-]*-[^-]*$/, '');
    return {
      system: 'rpm',
      name,
      version: release === undefined ? version : `${version}-${release}`,
      epoch: epoch === '0' ? undefined : epoch,
      architecture: values.get(TAG.architecture),
      license: values.get(TAG.license),
      source: source === name ? undefined : source,
    };
  } catch (error) {
    if (error instanceof RangeError) throw damaged(row);
    throw error;
  }
}

/** The first value of each tag that is read. Throws RangeError for places outside of the header. */
function valuesOf(header: DataView): ReadonlyMap<number, string> {
  const count = header.getUint32(0);
  const store = 8 + count * INDEX_BYTES;
  const wanted = new Set(Object.values(TAG));
  const values = new Map<number, string>();
  for (let index = 0; index < count; index++) {
    const at = 8 + index * INDEX_BYTES;
    const tag = header.getUint32(at);
    if (!wanted.has(tag)) continue;
    const type = header.getUint32(at + 4);
    const place = store + header.getUint32(at + 8);
    if (TEXTS.has(type)) values.set(tag, textAt(header, place));
    else if (type === INTEGER) values.set(tag, String(header.getUint32(place)));
  }
  return values;
}

function textAt(header: DataView, place: number): string {
  let end = place;
  while (header.getUint8(end) !== 0) end++;
  return new TextDecoder().decode(new Uint8Array(header.buffer, header.byteOffset + place, end - place));
}

function damaged(row: number): DomainError {
  return new DomainError(
    'INVALID_REQUEST',
    `expected the header of a package in row ${row + 1} of rpmdb.sqlite`,
  );
}
