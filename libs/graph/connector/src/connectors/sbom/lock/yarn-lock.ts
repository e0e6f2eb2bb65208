/**
 * `yarn.lock`, of Yarn 1 and of later versions. A dependency is a descriptor, `name@range`, which is the key
 * of an entry. What the project itself depends on is in its package.json, in later versions also in the lock
 * file.
 */
import { parseSyml } from '@yarnpkg/parsers';
import { FieldPath, isJsonObject, type JsonObject, jsonObject } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { parseYaml } from '../../document/yaml-text.ts';
import type { Bill } from '../bill-builder.ts';
import { BillValues } from '../bill-values.ts';
import { NpmLockBill, type Manifest, readManifest, type ReadBeside } from './npm-lock-bill.ts';

const CLASSIC = /^# yarn lockfile v1\s*$/m;
const BEGINNING_CHARACTERS = 4_096;
const WORKSPACE = /^(.+)@workspace:(.*)$/;

/** Throws INVALID_REQUEST with the place of a fault. `folder` is the name of a project without a manifest. */
export async function readYarnLock(text: string, beside: ReadBeside, folder: string): Promise<Bill> {
  const entries = CLASSIC.test(text.slice(0, BEGINNING_CHARACTERS)) ? classicEntries(text) : entriesOf(text);
  return new YarnLockReader(entries, await readManifest(beside, 'package.json'), folder).read();
}

function classicEntries(text: string): JsonObject {
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

function entriesOf(text: string): JsonObject {
  const entries = jsonObject(parseYaml(text, 'a yarn.lock'), new FieldPath());
  return Object.fromEntries(Object.entries(entries).filter(([key]) => key !== '__metadata'));
}

class YarnLockReader {
  readonly #values = new BillValues();
  readonly #bill = new NpmLockBill(this.#values);
  readonly #entries: readonly (readonly [string, JsonObject])[];
  readonly #manifest: Manifest;
  readonly #folder: string;

  constructor(entries: JsonObject, manifest: Manifest, folder: string) {
    this.#manifest = manifest;
    this.#folder = folder;
    this.#entries = Object.entries(entries).flatMap(([key, entry]) => {
      if (isJsonObject(entry)) return [[key, entry] as const];
      this.#values.leaveOut(key.slice(0, 200), 'it is no entry and is left out');
      return [];
    });
  }

  read(): Bill {
    for (const [key, entry] of this.#entries) this.#addEntry(key, entry);
    // In Yarn 1 the parser gives an entry under each of its descriptors.
    const entries = new Map(this.#entries.map(([key, entry]) => [entry, key]));
    for (const [entry, key] of entries) this.#addDependencies(key, entry);
    const isRootLocked = this.#entries.some(([key]) =>
      descriptorsIn(key).some((each) => pathOf(each) === '.'),
    );
    if (!isRootLocked) this.#addRoot();
    return this.#bill.finish();
  }

  #addEntry(key: string, entry: JsonObject): void {
    const text = (field: string): string | undefined =>
      this.#values.text({ value: entry, place: key }, field);
    const resolution = text('resolution');
    const workspace = WORKSPACE.exec(resolution ?? '');
    for (const descriptor of descriptorsIn(key)) {
      const [name, range] = parsedDescriptor(descriptor);
      if (workspace !== null) this.#bill.addProject(descriptor, { name, version: undefined }, key);
      else {
        const known = resolution === undefined ? realName(range) : parsedDescriptor(resolution)[0];
        const locked = { name: known ?? name, version: text('version'), resolved: text('resolved') };
        this.#bill.addPackage(descriptor, { ...locked, integrity: text('integrity') }, key);
      }
    }
  }

  #addDependencies(key: string, entry: JsonObject): void {
    const [descriptor = ''] = descriptorsIn(key);
    const owner = this.#bill.entityOf(descriptor);
    if (owner === undefined) return;
    const direct = pathOf(descriptor) === '.' ? this.#manifest.dependencies : undefined;
    const meta = entry['dependenciesMeta'];
    for (const list of ['dependencies', 'optionalDependencies']) {
      for (const [name, range] of this.#bill.textsOf(entry[list], `${key}, ${list}`)) {
        const isOptional = list === 'optionalDependencies' || isOptionalIn(meta, name);
        const kind = direct?.get(name)?.kind ?? (isOptional ? 'optional' : 'prod');
        this.#depend({ owner, name, range, kind, place: key });
      }
    }
  }

  /** In Yarn 1 the project is not in the file. */
  #addRoot(): void {
    const { name = this.#folder, version, dependencies, hasWorkspaces } = this.#manifest;
    const owner = this.#bill.addProject('', { name, version }, 'package.json');
    if (owner === undefined) return;
    if (dependencies === undefined)
      this.#bill.unknown(
        owner,
        'package.json is not beside yarn.lock: what the project depends on is not known',
      );
    if (hasWorkspaces)
      this.#bill.unknown(owner, 'package.json has workspaces, whose dependencies are not in yarn.lock');
    for (const [each, { range, kind }] of dependencies ?? [])
      this.#depend({ owner, name: each, range, kind, place: 'package.json' });
  }

  #depend(dependency: Omit<Parameters<NpmLockBill['depend']>[0], 'candidates'>): void {
    const { name, range = '' } = dependency;
    const candidates = [`${name}@${range}`, `${name}@npm:${range}`];
    this.#bill.depend({ ...dependency, candidates });
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

/** The name of the package that an alias stands for: `npm:other@^1`. */
function realName(range: string): string | undefined {
  const alias = /^npm:((?:@[^/@]+\/)?[^/@]+)@/.exec(range);
  return alias?.[1];
}

function pathOf(descriptor: string): string | undefined {
  return WORKSPACE.exec(descriptor)?.[2];
}

function isOptionalIn(meta: unknown, name: string): boolean {
  const entry = isJsonObject(meta) ? meta[name] : undefined;
  return isJsonObject(entry) && String(entry['optional']) === 'true';
}
