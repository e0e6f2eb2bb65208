/**
 * `Pipfile.lock`: the packages of each category, without their dependencies on each other. The project is
 * installed with all of them, so it depends on each.
 */
import { FieldPath, isJsonObject, type JsonObject } from '#graph/model';
import type { Bill } from '../../bill-builder.ts';
import { BillValues } from '../../bill-values.ts';
import { LockBill } from '../lock-bill.ts';

const META = '_meta';
const KINDS: ReadonlyMap<string, string> = new Map([
  ['default', 'prod'],
  ['develop', 'dev'],
]);
const PLACES = ['git', 'hg', 'svn', 'bzr', 'file', 'path'];

export function isPipfileLock(document: JsonObject): boolean {
  const meta = document[META];
  return isJsonObject(meta) && 'pipfile-spec' in meta;
}

/** Throws INVALID_REQUEST with the place of a fault. `folder` is the name of the project. */
export function readPipfileLock(lock: JsonObject, folder: string): Bill {
  const { [META]: meta, ...categories } = lock;
  if (!isJsonObject(meta) || meta['pipfile-spec'] !== 6)
    throw new FieldPath(META).fault('pipfile-spec', 'expected version 6, as Pipenv writes');
  const values = new BillValues();
  const bill = new LockBill(values, 'pypi');
  const root = bill.addRoot(folder);
  for (const [category, packages] of Object.entries(categories)) {
    // Others may have any name; a list is no category.
    if (!KINDS.has(category) && !isJsonObject(packages)) {
      values.ignore('fields that are no category');
      continue;
    }
    for (const [name, entry] of bill.objectsOf(packages, category)) {
      const place = `${category}.${name}`;
      const version = values.text({ value: entry, place }, 'version')?.replace(/^===?/, '');
      const resolved = PLACES.map((field) => entry[field]).find((each) => typeof each === 'string');
      const reference = `${name} ${version ?? resolved ?? ''}`;
      bill.addPackage(reference, { name, version, resolved }, place);
      if (root === undefined) continue;
      const kind = KINDS.get(category) ?? category;
      bill.depend({ owner: root, name, range: undefined, kind, candidates: [reference], place });
    }
  }
  return bill.finish();
}
