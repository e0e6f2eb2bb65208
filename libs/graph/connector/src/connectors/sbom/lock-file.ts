import { FieldPath, type JsonObject, jsonObject, kindOf } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { type LockEntry, parseLockEntry } from './lock-entry.ts';

const KNOWN_VERSIONS: readonly unknown[] = [2, 3];

export interface LockFile {
  /** The folder or project name in the file; the root entry may have another one. */
  readonly name: string | undefined;
  /** By path, `''` being the project itself. */
  readonly entries: ReadonlyMap<string, LockEntry>;
}

/**
 * Reads the text of a package-lock.json of version 2 or 3; throws INVALID_REQUEST with the path of the
 * fault.
 */
export function parseLockFile(text: string): LockFile {
  const top = new FieldPath();
  const lock = jsonObject(parseJson(text), top);
  if (!KNOWN_VERSIONS.includes(lock['lockfileVersion'])) {
    const version = lock['lockfileVersion'];
    const got = typeof version === 'number' ? String(version) : kindOf(version);
    throw top.fault('lockfileVersion', `expected 2 or 3, as npm 7 and later write, got ${got}`);
  }
  const packages = jsonObject(lock['packages'], top, 'packages');
  const entries = parseEntries(packages);
  if (!entries.has('')) throw top.fault('packages[""]', 'expected the project itself, got nothing');
  for (const [path, { linkTarget }] of entries) {
    if (linkTarget === undefined || entries.has(linkTarget)) continue;
    throw pathOfEntry(path).fault('resolved', `expected the path of an entry, got "${linkTarget}"`);
  }
  return { name: typeof lock['name'] === 'string' ? lock['name'] : undefined, entries };
}

function parseEntries(packages: JsonObject): Map<string, LockEntry> {
  const parsed = Object.entries(packages).map(
    ([path, entry]) => [path, parseLockEntry(entry, pathOfEntry(path))] as const,
  );
  return new Map(parsed);
}

/** The path of an entry, for messages. */
export function pathOfEntry(path: string): FieldPath {
  return new FieldPath(`packages["${path}"]`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DomainError('INVALID_REQUEST', 'expected a package-lock.json, got text that is no JSON', {
      cause,
    });
  }
}
