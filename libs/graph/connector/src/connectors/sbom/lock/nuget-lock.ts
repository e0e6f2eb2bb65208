/**
 * `packages.lock.json` of NuGet, 1 and 2: the packages for each framework. The name of the project is that of
 * its folder.
 */
import { type EntityKey, FieldPath, isJsonObject, type JsonObject } from '#graph/model';
import type { Bill } from '../bill-builder.ts';
import { BillValues } from '../bill-values.ts';
import { LockBill } from './lock-bill.ts';

const VERSIONS: readonly unknown[] = [1, 2];
const PROJECT_TYPE = 'Project';
/** The types of entries, and whether the project itself asks for such a one. */
const TYPES: ReadonlyMap<string | undefined, boolean> = new Map([
  ['Direct', true],
  [PROJECT_TYPE, true],
  ['Transitive', false],
  ['CentralTransitive', false],
]);

/** Those of npm have another field for their version. */
export function isNugetLock({ version, dependencies, lockfileVersion }: JsonObject): boolean {
  return typeof version === 'number' && isJsonObject(dependencies) && lockfileVersion === undefined;
}

/** Throws INVALID_REQUEST with the place of a fault. `folder` is the name of the project. */
export function readNugetLock({ version, dependencies }: JsonObject, folder: string): Bill {
  if (!VERSIONS.includes(version)) throw new FieldPath().fault('version', 'expected 1 or 2, as NuGet writes');
  return new NugetLockReader(folder).read(dependencies);
}

class NugetLockReader {
  readonly #values = new BillValues();
  readonly #bill = new LockBill(this.#values, 'nuget');
  readonly #root: EntityKey | undefined;

  constructor(folder: string) {
    this.#root = this.#bill.addRoot(folder);
  }

  read(dependencies: unknown): Bill {
    for (const [framework, packages] of this.#bill.objectsOf(dependencies, 'dependencies'))
      this.#addFramework(framework, this.#bill.objectsOf(packages, `dependencies["${framework}"]`));
    return this.#bill.finish();
  }

  /** A name has one version in a framework; names differ in the case of letters. */
  #addFramework(framework: string, packages: readonly (readonly [string, JsonObject])[]): void {
    const referenceOf = (name: string): string => `${framework} ${name.toLowerCase()}`;
    for (const [name, entry] of packages) this.#add(referenceOf(name), name, entry);
    for (const [name, entry] of packages) {
      const place = `${framework}, ${name}`;
      const owner = this.#bill.entityOf(referenceOf(name));
      if (owner === undefined) continue;
      for (const [asked, range] of this.#bill.textsOf(entry['dependencies'], place))
        this.#bill.depend({
          owner,
          name: asked,
          range,
          kind: 'prod',
          candidates: [referenceOf(asked)],
          place,
        });
      if (this.#root === undefined || TYPES.get(this.#typeOf(entry, place)) !== true) continue;
      const range = this.#values.text({ value: entry, place }, 'requested');
      const candidates = [referenceOf(name)];
      this.#bill.depend({ owner: this.#root, name, range, kind: 'prod', candidates, place });
    }
  }

  #typeOf(entry: JsonObject, place: string): string | undefined {
    const type = this.#values.text({ value: entry, place }, 'type');
    if (!TYPES.has(type)) this.#values.leaveOut(place, `expected a type of packages, got ${type ?? 'none'}`);
    return type;
  }

  #add(reference: string, name: string, entry: JsonObject): void {
    const version = this.#values.text({ value: entry, place: reference }, 'resolved');
    if (entry['type'] === PROJECT_TYPE) this.#bill.addProject(reference, { name, version }, reference);
    else if (version === undefined)
      this.#values.leaveOut(reference, 'expected a package with its resolved version');
    else this.#bill.addPackage(reference, { name, version }, reference);
  }
}
