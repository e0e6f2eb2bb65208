/**
 * The `packages` of a later lock file for one of version 1, as npm 5 and 6 write: its tree of `dependencies`
 * is that of the folders in node_modules. What the project itself asks for is in its package.json only.
 */
import { isAbsent, isJsonObject, type JsonObject, kindOf } from '#graph/model';
import type { BillValues } from '../bill-values.ts';

/** Lists of a manifest that a lock file of version 2 or 3 repeats for the project. */
const MANIFEST_FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'license', 'engines'];

interface OpenFolder {
  readonly folder: string;
  readonly dependencies: unknown;
}

/** Without a manifest, the project has those packages that no other asks for: npm removes all others. */
export function packagesOfVersion1(
  lock: JsonObject,
  manifest: JsonObject | undefined,
  values: BillValues,
): JsonObject {
  const packages: Record<string, unknown> = {};
  const required = new Set<string>();
  // They nest to a depth chosen by the sender: uses a list instead of recursion.
  const open: OpenFolder[] = [{ folder: '', dependencies: lock['dependencies'] }];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    const { folder, dependencies } = each;
    if (!isJsonObject(dependencies)) {
      if (!isAbsent(dependencies))
        values.leaveOut(`${folder}.dependencies`, `expected an object, got ${kindOf(dependencies)}`);
      continue;
    }
    for (const [name, entry] of Object.entries(dependencies)) {
      const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
      packages[path] = isJsonObject(entry) ? packageOf(entry) : entry;
      if (!isJsonObject(entry)) continue;
      for (const asked of requiredBy(entry, path, values)) required.add(asked);
      open.push({ folder: path, dependencies: entry['dependencies'] });
    }
  }
  const root = manifest === undefined ? unrequired(lock, required) : fieldsOf(manifest);
  return { '': { name: lock['name'], version: lock['version'], ...root }, ...packages };
}

/** The names that a package asks for; `true` and `false` say nothing. */
function requiredBy({ requires }: JsonObject, path: string, values: BillValues): readonly string[] {
  if (isJsonObject(requires)) return Object.keys(requires);
  if (!isAbsent(requires) && typeof requires !== 'boolean')
    values.leaveOut(`${path}.requires`, `expected an object, got ${kindOf(requires)}`);
  return [];
}

function packageOf(entry: JsonObject): JsonObject {
  const { version, requires, bundled } = entry;
  const dependencies = isJsonObject(requires) ? requires : undefined;
  return { ...entry, dependencies, inBundle: bundled, ...versionOf(version) };
}

/** A version may be the place that the package comes from, or that of another package: `npm:other@1.0.0`. */
function versionOf(version: unknown): JsonObject {
  if (typeof version !== 'string') return { version };
  const [, name, aliased] = /^npm:((?:@[^/@]+\/)?[^/@]+)@(.+)$/.exec(version) ?? [];
  if (name !== undefined) return { name, version: aliased };
  return /[:/]/.test(version) ? { version: undefined, resolved: version } : { version };
}

function unrequired(lock: JsonObject, required: ReadonlySet<string>): JsonObject {
  const dependencies = isJsonObject(lock['dependencies']) ? lock['dependencies'] : {};
  const lists: Record<string, Record<string, string>> = { dependencies: {}, devDependencies: {} };
  for (const [name, entry] of Object.entries(dependencies)) {
    if (required.has(name)) continue;
    const isDev = isJsonObject(entry) && entry['dev'] === true;
    Object.assign(lists[isDev ? 'devDependencies' : 'dependencies'] ?? {}, { [name]: '' });
  }
  return lists;
}

function fieldsOf(manifest: JsonObject): JsonObject {
  return Object.fromEntries(
    MANIFEST_FIELDS.filter((field) => field in manifest).map((field) => [field, manifest[field]]),
  );
}
