import { FieldPath, isJsonObject, type JsonObject, jsonObject, kindOf } from '#graph/model';
import { parseJson } from '../../document/json-text.ts';
import { BillValues } from '../bill-values.ts';
import { type LockEntry, readLockEntry } from './lock-entry.ts';
import { packagesOfVersion1 } from './lock-version-1.ts';

const LOCK = 'a package-lock.json';
const KNOWN_VERSIONS: readonly unknown[] = [1, 2, 3];

export interface LockFile {
  /** The folder or project name in the file; the root entry may have another one. */
  readonly name: string | undefined;
  /** The entries by path; `''` is the project itself. */
  readonly entries: ReadonlyMap<string, LockEntry>;
  /** Whether the file, or the manifest beside it, says what the project itself depends on. */
  readonly isRootKnown: boolean;
  /** What is not as expected in it. */
  readonly values: BillValues;
}

/**
 * Reads the text of a package-lock.json; throws INVALID_REQUEST with the path of the fault. `manifest` is the
 * text of the package.json beside it, which version 1 needs.
 */
export function parseLockFile(text: string, manifest?: string): LockFile {
  const top = new FieldPath();
  const lock = jsonObject(parseJson(text, LOCK), top);
  if (!KNOWN_VERSIONS.includes(lock['lockfileVersion'])) {
    const version = lock['lockfileVersion'];
    const got = typeof version === 'number' ? String(version) : kindOf(version);
    throw top.fault('lockfileVersion', `expected 1, 2 or 3, as npm writes, got ${got}`);
  }
  const isOld = lock['lockfileVersion'] === 1;
  const known = manifest === undefined ? undefined : jsonObject(parseJson(manifest, 'a package.json'), top);
  const values = new BillValues();
  const packages = isOld
    ? packagesOfVersion1(lock, known, values)
    : jsonObject(lock['packages'], top, 'packages');
  const entries = readEntries(packages, values);
  if (!entries.has('')) throw top.fault('packages[""]', 'expected the project itself, got nothing');
  for (const [path, { linkTarget }] of entries) {
    if (linkTarget === undefined || entries.has(linkTarget)) continue;
    values.leaveOut(placeOfEntry(path), `it links to "${linkTarget.slice(0, 200)}", which does not exist`);
    entries.delete(path);
  }
  const name = typeof lock['name'] === 'string' ? lock['name'] : undefined;
  return { name, entries, isRootKnown: !isOld || known !== undefined, values };
}

function readEntries(packages: JsonObject, values: BillValues): Map<string, LockEntry> {
  const entries = new Map<string, LockEntry>();
  for (const [path, value] of Object.entries(packages)) {
    const place = placeOfEntry(path);
    if (!isJsonObject(value)) {
      values.leaveOut(place, `expected an object, got ${kindOf(value)}`);
      continue;
    }
    const entry = readLockEntry({ value, place }, values);
    if (entry !== undefined) entries.set(path, entry);
  }
  return entries;
}

/** The place of an entry, as messages name it. */
export function placeOfEntry(path: string): string {
  return `packages["${path.slice(0, 200)}"]`;
}
