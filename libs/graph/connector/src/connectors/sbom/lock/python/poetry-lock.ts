/**
 * `poetry.lock` of the versions 1 and 2, and `pdm.lock`, which has the same form with requirements in a list.
 * What the project itself is called, and depends on, is in the pyproject.toml beside it.
 */
import { FieldPath, isJsonObject, type JsonObject } from '#graph/model';
import { parseTomlText } from '../../../document/toml-text.ts';
import { scalarText } from '../../../document/json-text.ts';
import type { Bill } from '../../bill-builder.ts';
import { BillValues, type Placed } from '../../bill-values.ts';
import { LockBill, PROJECT, type ReadBeside } from '../lock-bill.ts';
import { type PythonProject, readPythonProject, requirementsOf } from './python-project.ts';
import { mayMean, type Requirement, requirementIn, sameName } from './requirement.ts';

const VERSION = /^(?:[12]|4)\.\d/;

interface Locked {
  readonly name: string;
  readonly version: string;
  readonly entry: Placed;
  readonly requirements: readonly Requirement[];
}

/** Throws INVALID_REQUEST with the place of a fault. `folder` is the name of a project without a manifest. */
export async function readPoetryLock(text: string, beside: ReadBeside, folder: string): Promise<Bill> {
  const lock = parseTomlText(text, 'a poetry.lock or pdm.lock');
  const { metadata } = lock;
  if (!isJsonObject(metadata))
    throw new FieldPath().fault('metadata', 'expected the end of a poetry.lock or pdm.lock, got nothing');
  const version = scalarText(metadata['lock-version'] ?? metadata['lock_version'] ?? '1.0');
  if (!VERSION.test(version))
    throw new FieldPath('metadata').fault('lock-version', 'expected 1 or 2 of Poetry, or 4 of PDM');
  return new PoetryLockReader(lock, folder).read(await readPythonProject(beside));
}

class PoetryLockReader {
  readonly #values = new BillValues();
  readonly #bill = new LockBill(this.#values, 'pypi');
  readonly #lock: JsonObject;
  readonly #folder: string;
  readonly #byName = new Map<string, Locked[]>();

  constructor(lock: JsonObject, folder: string) {
    this.#lock = lock;
    this.#folder = folder;
  }

  read(project: PythonProject | undefined): Bill {
    const packages = this.#values.topList(this.#lock, 'package').flatMap((each) => this.#lockedIn(each));
    for (const each of packages) this.#add(each);
    for (const { name, version, requirements, entry } of packages)
      for (const asked of requirements)
        this.#depend(referenceOf(name, version), { ...asked, kind: 'prod', place: entry.place });
    this.#addProject(project, packages);
    return this.#bill.finish();
  }

  #lockedIn(entry: Placed): readonly Locked[] {
    const identity = this.#bill.identityOf(entry);
    return identity === undefined ? [] : [{ ...identity, entry, requirements: this.#requirementsOf(entry) }];
  }

  #requirementsOf(entry: Placed): readonly Requirement[] {
    const { dependencies } = entry.value;
    if (Array.isArray(dependencies))
      return this.#values
        .texts(entry, 'dependencies')
        .texts.flatMap((text) => this.#requirementIn(text, entry));
    return Object.entries(this.#bill.mapOf(dependencies, `${entry.place}.dependencies`)).flatMap(
      ([name, value]) => requirementsOf(name, value),
    );
  }

  #requirementIn(text: string, { place }: Placed): readonly Requirement[] {
    const found = requirementIn(text);
    if (found !== undefined) return [found];
    this.#values.leaveOut(`${place}.dependencies`, `expected requirements, got ${text.slice(0, 200)}`);
    return [];
  }

  #add(locked: Locked): void {
    const { name, version, entry } = locked;
    const source = this.#bill.mapOf(entry.value['source'], `${entry.place}.source`);
    const { url } = source;
    const resolved = typeof url === 'string' && source['type'] !== 'directory' ? url : undefined;
    const reference = referenceOf(name, version);
    if (source['type'] === 'directory') this.#bill.addProject(reference, { name, version }, entry.place);
    else this.#bill.addPackage(reference, { name, version, resolved }, entry.place);
    this.#byName.set(sameName(name), [...(this.#byName.get(sameName(name)) ?? []), locked]);
  }

  #addProject(project: PythonProject | undefined, packages: readonly Locked[]): void {
    const { name = this.#folder, version } = project ?? {};
    const root = this.#bill.addRoot(name, version);
    if (root === undefined) return;
    // A project may ask for its own extras.
    const asks = project?.asks.filter((each) => sameName(each.name) !== sameName(name)) ?? [];
    for (const asked of asks) this.#depend(PROJECT, { ...asked, place: 'pyproject.toml' });
    if (project !== undefined) return;
    const needed = new Set(
      packages.flatMap(({ requirements }) => requirements.map((each) => sameName(each.name))),
    );
    const unneeded = packages
      .filter(({ name: each }) => !needed.has(sameName(each)))
      .map(({ name: each, version: of }) => [each, referenceOf(each, of)] as const);
    this.#bill.dependOnUnneeded(root, unneeded, 'pyproject.toml');
  }

  /** For different conditions a name may have several versions: those that the range may mean. */
  #depend(
    reference: string,
    asked: Requirement & { readonly kind: string | undefined; readonly place: string },
  ): void {
    const owner = this.#bill.entityOf(reference);
    if (owner === undefined) return;
    const { name, range, kind, place, isConditional } = asked;
    const named = this.#byName.get(sameName(name)) ?? [];
    const fitting = named.filter(({ version }) => named.length === 1 || mayMean(range, version));
    const dependency = { owner, name, range: range === '' ? undefined : range, kind, place };
    for (const each of fitting)
      this.#bill.depend({ ...dependency, candidates: [referenceOf(each.name, each.version)] });
    // A condition may hold nowhere: then the package is not in the file.
    if (fitting.length === 0 && !isConditional) this.#bill.depend({ ...dependency, candidates: [] });
  }
}

function referenceOf(name: string, version: string): string {
  return `${sameName(name)} ${version}`;
}
