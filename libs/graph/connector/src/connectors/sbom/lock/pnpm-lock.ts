/**
 * `pnpm-lock.yaml` of the versions 5, 6 and 9: the packages by name and version, however many sets of peers
 * they are installed with, and the projects of the workspace, whose names are in their package.json.
 */
import { posix } from 'node:path';
import { FieldPath, isJsonObject, type JsonObject, jsonObject, kindOf } from '#graph/model';
import { parseYamlStream } from '../../document/yaml-text.ts';
import type { Bill } from '../bill-builder.ts';
import { BillValues } from '../bill-values.ts';
import { mergedBills } from '../merged-bills.ts';
import { LockBill, PROJECT, readManifest, type ReadBeside } from './lock-bill.ts';
import { scalarText } from '../../document/json-text.ts';

const VERSION = /^(5|6|9)(?:\.\d+)?(?:-\w+)?$/;
/** Kinds of dependencies; for a name in several lists the last one counts. */
const KINDS: readonly (readonly [string, string])[] = [
  ['packageManagerDependencies', 'package_manager'],
  ['configDependencies', 'config'],
  ['devDependencies', 'dev'],
  ['dependencies', 'prod'],
  ['optionalDependencies', 'optional'],
];

/** Throws INVALID_REQUEST with the place of a fault. `folder` is the name of a project without a manifest. */
export async function readPnpmLock(text: string, beside: ReadBeside, folder: string): Promise<Bill> {
  const bills: Bill[] = [];
  for (const document of parseYamlStream(text, 'a pnpm-lock.yaml'))
    bills.push(await readDocument(document, beside, folder));
  return mergedBills(bills);
}

/** Since version 11, what pnpm itself needs is a document of its own before that of the projects. */
async function readDocument(document: unknown, beside: ReadBeside, folder: string): Promise<Bill> {
  const top = new FieldPath();
  const lock = jsonObject(document, top);
  const [, version] = VERSION.exec(scalarText(lock['lockfileVersion'])) ?? [];
  if (version === undefined) throw top.fault('lockfileVersion', 'expected version 5, 6 or 9');
  if (version === '9') checkWhole(lock);
  return new PnpmLockReader(lock, version === '5', folder).read(beside);
}

/**
 * A file that is cut between two lines is still YAML: its parts are expected in the order in which they are
 * written.
 */
function checkWhole(lock: JsonObject): void {
  const { importers, packages, snapshots } = lock;
  const top = new FieldPath();
  if (!isJsonObject(importers)) throw top.fault('importers', `expected projects, got ${kindOf(importers)}`);
  const isCut = isJsonObject(packages) && Object.keys(packages).length > 0 && !isJsonObject(snapshots);
  if (isCut) throw top.fault('snapshots', `expected those of the packages, got ${kindOf(snapshots)}`);
}

class PnpmLockReader {
  readonly #values = new BillValues();
  readonly #bill = new LockBill(this.#values);
  readonly #lock: JsonObject;
  /** Version 5 separates name and version with a slash. */
  readonly #isOld: boolean;
  readonly #folder: string;

  constructor(lock: JsonObject, isOld: boolean, folder: string) {
    this.#lock = lock;
    this.#isOld = isOld;
    this.#folder = folder;
  }

  async read(beside: ReadBeside): Promise<Bill> {
    const packages = this.#entries(this.#lock['packages'], 'packages');
    const snapshots = this.#entries(this.#lock['snapshots'], 'snapshots');
    const facts = new Map(packages);
    // Since version 9 the packages have the facts, their snapshots the dependencies.
    const installed = snapshots.length > 0 ? snapshots : packages;
    for (const [key, entry] of installed) this.#addPackage(key, facts.get(withoutPeers(key)) ?? entry);
    const importers = this.#entries(this.#lock['importers'] ?? { '.': this.#lock }, 'importers');
    for (const [path] of importers) await this.#addProject(path, beside);
    for (const [key, entry] of installed) this.#addDependencies(key, entry, key);
    for (const [path, entry] of importers) this.#addDependencies(projectReference(path), entry, path);
    this.#addWorkspace(importers.map(([path]) => path));
    return this.#bill.finish();
  }

  #entries(value: unknown, place: string): readonly (readonly [string, JsonObject])[] {
    return Object.entries(this.#bill.mapOf(value, place)).flatMap(([key, entry]) => {
      // In YAML an entry without fields may be empty.
      if (isJsonObject(entry)) return [[key, entry] as const];
      if (entry !== '' && entry !== null)
        this.#values.leaveOut(`${place}.${key}`.slice(0, 200), 'it is no entry');
      return [[key, {}] as const];
    });
  }

  #addPackage(key: string, entry: JsonObject): void {
    const text = (of: JsonObject, field: string): string | undefined =>
      this.#values.text({ value: of, place: key }, field);
    const resolution = isJsonObject(entry['resolution']) ? entry['resolution'] : {};
    const [name, version] = nameIn(key, this.#isOld);
    const locked = {
      name: text(entry, 'name') ?? name,
      version: text(entry, 'version') ?? version,
      resolved: text(resolution, 'tarball') ?? text(resolution, 'repo'),
      integrity: text(resolution, 'integrity'),
      deprecated: text(entry, 'deprecated'),
    };
    this.#bill.addPackage(key, locked, key);
  }

  async #addProject(path: string, beside: ReadBeside): Promise<void> {
    const { name, version } = await readManifest(beside, path);
    const named = { name: name ?? (path === '.' ? this.#folder : path), version };
    this.#bill.addProject(projectReference(path), named, path);
  }

  #addDependencies(reference: string, entry: JsonObject, place: string): void {
    const owner = this.#bill.entityOf(reference);
    if (owner === undefined) return;
    const specifiers = new Map(this.#bill.textsOf(entry['specifiers'], place));
    const isProject = reference === projectReference(place);
    for (const [list, kind] of KINDS) {
      const dependencies = this.#bill.mapOf(entry[list], `${place}, ${list}`);
      for (const [name, value] of Object.entries(dependencies)) {
        const parts: JsonObject = isJsonObject(value) ? value : { version: value };
        const version = this.#values.text({ value: parts, place }, 'version') ?? '';
        const specifier = this.#values.text({ value: parts, place }, 'specifier');
        const range = specifier ?? specifiers.get(name);
        const candidates = this.#candidates(name, version, isProject ? place : undefined);
        this.#bill.depend({ owner, name, range, kind, candidates, place: `${place}, ${list}` });
      }
    }
  }

  /** The keys that a dependency may have: of a project, a package, or one under another name. */
  #candidates(name: string, version: string, importer = '.'): readonly string[] {
    // Relative to the project; those of packages to the folder of the file.
    if (version.startsWith('link:'))
      return [projectReference(posix.normalize(posix.join(importer, version.slice('link:'.length))))];
    const key = this.#isOld ? `/${name}/${version}` : `${name}@${version}`;
    return [key, `/${key}`, version, `/${version}`];
  }

  #addWorkspace(paths: readonly string[]): void {
    const root = this.#bill.entityOf(projectReference('.'));
    for (const path of paths) {
      const project = this.#bill.entityOf(projectReference(path));
      if (path !== '.' && root !== undefined && project !== undefined)
        this.#bill.relate(root, 'CONTAINS', project);
    }
  }
}

function projectReference(path: string): string {
  return PROJECT + path;
}

/** The key without the peers that the package is installed with: `a@1(b@2)`, in version 5 `/a/1_b@2`. */
function withoutPeers(key: string): string {
  const at = key.indexOf('(');
  return at < 0 ? key : key.slice(0, at);
}

/** Name and version in a key: `a@1(b@2)`, `/@s/a@1`, in version 5 `/@s/a/1_b@2`. */
function nameIn(key: string, isOld: boolean): readonly [string, string | undefined] {
  const text = withoutPeers(key).replace(/^\//, '');
  const at = isOld ? text.lastIndexOf('/') : text.lastIndexOf('@');
  if (at <= 0) return [text, undefined];
  const version = text.slice(at + 1);
  return [text.slice(0, at), isOld ? version.replace(/_.*$/, '') : version];
}
