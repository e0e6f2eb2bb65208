/**
 * `yarn.lock`, of Yarn 1 and of later versions. A dependency is a descriptor, `name@range`, which is the key
 * of an entry. What the project itself depends on is in its package.json, in later versions also in the lock
 * file.
 */
import { parseSyml } from '@yarnpkg/parsers';
import { type EntityKey, FieldPath, isAbsent, isJsonObject, type JsonObject, jsonObject } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { parseYaml } from '../../document/yaml-text.ts';
import type { Bill } from '../bill-builder.ts';
import { BillValues } from '../bill-values.ts';
import { LockBill, type Manifest, NO_MANIFEST, readManifest, type ReadBeside } from './lock-bill.ts';
import { Resolutions } from './yarn-resolutions.ts';
import { scalarText } from '../../document/json-text.ts';

const CLASSIC = /^# yarn lockfile v1\s*$/m;
const BEGINNING_CHARACTERS = 4_096;
const MANIFEST = 'package.json';
const METADATA = '__metadata';
/** Of the file, as Yarn 2 to 4 count it. */
const VERSION = /^(?:[1-9]|10)$/;
/** The folder of the project itself. */
const ROOT = '.';
/** Of a project in the file: its name, and its folder. */
const WORKSPACE = /^(.+)@workspace:(.*)$/;
/** Of a folder that is linked and is no part of the workspace. */
const LINK = /^(.+)@(?:link|portal):/;

/** Throws INVALID_REQUEST with the place of a fault. `folder` is the name of a project without a manifest. */
export async function readYarnLock(text: string, beside: ReadBeside, folder: string): Promise<Bill> {
  const entries = CLASSIC.test(text.slice(0, BEGINNING_CHARACTERS)) ? classicEntries(text) : entriesOf(text);
  const manifests = new Map<string, Manifest>();
  for (const path of new Set([ROOT, ...Object.values(entries).flatMap(folderOf)]))
    manifests.set(path, await readManifest(beside, path));
  return new YarnLockReader(entries, manifests, folder).read();
}

function classicEntries(text: string): JsonObject {
  requireDistinctEntries(text);
  try {
    return jsonObject(parseSyml(text), new FieldPath());
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DomainError(
      'INVALID_REQUEST',
      `expected a yarn.lock, got other text: ${reason.slice(0, 200)}`,
      {
        cause,
      },
    );
  }
}

/** Of two entries for one descriptor the parser keeps the last: a package would be missing without a word. */
function requireDistinctEntries(text: string): void {
  const known = new Set<string>();
  for (const [index, line] of text.split('\n').entries()) {
    const [, key] = /^([^\s#].*):\s*$/.exec(line) ?? [];
    if (key === undefined) continue;
    for (const descriptor of descriptorsIn(key.replaceAll('"', ''))) {
      const message = `line ${index + 1}: expected one entry of ${descriptor.slice(0, 200)}, got another`;
      if (known.has(descriptor)) throw new DomainError('INVALID_REQUEST', message);
      known.add(descriptor);
    }
  }
}

function entriesOf(text: string): JsonObject {
  return jsonObject(parseYaml(text, 'a yarn.lock'), new FieldPath());
}

class YarnLockReader {
  readonly #values = new BillValues();
  readonly #bill = new LockBill(this.#values);
  readonly #entries: readonly (readonly [string, JsonObject])[];
  /** By folder. */
  readonly #manifests: ReadonlyMap<string, Manifest>;
  readonly #root: Manifest;
  readonly #resolutions: Resolutions;
  readonly #folder: string;

  constructor(entries: JsonObject, manifests: ReadonlyMap<string, Manifest>, folder: string) {
    this.#manifests = manifests;
    this.#root = manifests.get(ROOT) ?? NO_MANIFEST;
    this.#resolutions = new Resolutions(this.#root.resolutions);
    this.#folder = folder;
    this.#entries = Object.entries(entries).flatMap(([key, entry]) => {
      if (key === METADATA) this.#checkVersion(entry);
      if (key === METADATA) return [];
      if (isJsonObject(entry)) return [[key, entry] as const];
      this.#values.leaveOut(key.slice(0, 200), 'it is no entry and is left out');
      return [];
    });
  }

  /** The form has been one since version 4: what a later one adds is not known. */
  #checkVersion(metadata: unknown): void {
    const version = isJsonObject(metadata) ? metadata['version'] : undefined;
    const text = scalarText(version);
    if (!isAbsent(version) && !VERSION.test(text))
      this.#values.leaveOut('__metadata.version', `expected 1 to 10, got ${text.slice(0, 40)}`);
  }

  read(): Bill {
    const roots = this.#entries.flatMap(([key, entry]) => this.#addEntry(key, entry));
    // In Yarn 1 the parser gives an entry under each of its descriptors.
    const entries = new Map(this.#entries.map(([key, entry]) => [entry, key]));
    const rootLocator = resolutionOf(roots[0]);
    for (const [entry, key] of entries) this.#addDependencies(key, entry, rootLocator);
    if (roots[0] === undefined) this.#addRoot();
    else this.#addWorkspace(roots[0]);
    return this.#bill.finish();
  }

  /** Returns the entry if it is the project of the file. */
  #addEntry(key: string, entry: JsonObject): readonly JsonObject[] {
    const text = (field: string): string | undefined =>
      this.#values.text({ value: entry, place: key }, field);
    const resolution = text('resolution');
    const folders = folderOf(entry);
    for (const descriptor of descriptorsIn(key)) {
      const [name, range] = parsedDescriptor(descriptor);
      if (folders.length > 0 || LINK.test(resolution ?? '')) {
        const version = this.#manifests.get(folders[0] ?? '')?.version;
        this.#bill.addProject(descriptor, { name, version }, key);
      } else {
        const known = resolution === undefined ? realName(range) : parsedDescriptor(resolution)[0];
        const locked = { name: known ?? name, version: text('version'), resolved: text('resolved') };
        this.#bill.addPackage(descriptor, { ...locked, integrity: text('integrity') }, key);
      }
    }
    return folders.includes(ROOT) ? [entry] : [];
  }

  #addDependencies(key: string, entry: JsonObject, rootLocator: string): void {
    const [descriptor = ''] = descriptorsIn(key);
    const owner = this.#bill.entityOf(descriptor);
    if (owner === undefined) return;
    const direct = folderOf(entry).map((path) => this.#manifests.get(path)?.dependencies)[0];
    const locator = resolutionOf(entry);
    const meta = entry['dependenciesMeta'];
    for (const list of ['dependencies', 'optionalDependencies']) {
      for (const [name, range] of this.#bill.textsOf(entry[list], `${key}, ${list}`)) {
        const isOptional = list === 'optionalDependencies' || isOptionalIn(meta, name);
        const kind = direct?.get(name)?.kind ?? (isOptional ? 'optional' : 'prod');
        const instead = this.#resolutions.rangeFor({ locator, name, range });
        const candidates =
          instead === undefined
            ? candidatesOf(name, range, locator)
            : candidatesOf(name, instead, rootLocator);
        this.#bill.depend({ owner, name, range, kind, place: key, candidates });
      }
    }
  }

  /** In Yarn 1 the project is not in the file. */
  #addRoot(): void {
    const { name = this.#folder, version, dependencies, hasWorkspaces } = this.#root;
    const owner = this.#bill.addProject('', { name, version }, MANIFEST);
    if (owner === undefined) return;
    if (dependencies === undefined)
      this.#bill.unknown(
        owner,
        'package.json is not beside yarn.lock: what the project depends on is not known',
      );
    if (hasWorkspaces)
      this.#bill.unknown(owner, 'package.json has workspaces, whose dependencies are not in yarn.lock');
    for (const [each, { range, kind }] of dependencies ?? []) {
      const candidates = candidatesOf(each, range ?? '', '');
      this.#bill.depend({ owner, name: each, range, kind, place: MANIFEST, candidates });
    }
  }

  #addWorkspace(root: JsonObject): void {
    const projectOf = (key: string): EntityKey | undefined =>
      this.#bill.entityOf(descriptorsIn(key)[0] ?? '');
    const own = this.#entries.find(([, entry]) => entry === root);
    const project = own === undefined ? undefined : projectOf(own[0]);
    for (const [key, entry] of this.#entries) {
      const other = entry === root || folderOf(entry).length === 0 ? undefined : projectOf(key);
      if (project !== undefined && other !== undefined) this.#bill.relate(project, 'CONTAINS', other);
    }
  }
}

/** A key has all descriptors that the entry is for. */
function descriptorsIn(key: string): readonly string[] {
  return key.split(/,\s*/);
}

/** Splits a descriptor into the name and the range. */
function parsedDescriptor(descriptor: string): readonly [string, string] {
  const at = descriptor.indexOf('@', 1);
  return at < 0 ? [descriptor, ''] : [descriptor.slice(0, at), descriptor.slice(at + 1)];
}

/** The descriptors that a dependency may have; those of patches and folders name the entry that asks. */
function candidatesOf(name: string, range: string, locator: string): readonly string[] {
  const descriptors = [`${name}@${range}`, `${name}@npm:${range}`];
  return [...descriptors, `${name}@${range}::locator=${encodeURIComponent(locator)}`];
}

/** The name of the package that an alias stands for: `npm:other@^1`. */
function realName(range: string): string | undefined {
  const alias = /^npm:((?:@[^/@]+\/)?[^/@]+)@/.exec(range);
  return alias?.[1];
}

function resolutionOf(entry: JsonObject | undefined): string {
  const resolution = entry?.['resolution'];
  return typeof resolution === 'string' ? resolution : '';
}

/** The folder of a project of the workspace, in a list; none for anything else. */
function folderOf(entry: unknown): readonly string[] {
  const path = isJsonObject(entry) ? WORKSPACE.exec(resolutionOf(entry))?.[2] : undefined;
  return path === undefined ? [] : [path];
}

function isOptionalIn(meta: unknown, name: string): boolean {
  const entry = isJsonObject(meta) ? meta[name] : undefined;
  return isJsonObject(entry) && scalarText(entry['optional']) === 'true';
}
