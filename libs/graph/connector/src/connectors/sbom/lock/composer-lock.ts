/**
 * `composer.lock`: packages with their dependencies. What the project itself is called, and depends on, is in
 * the composer.json beside it.
 */
import type { EntityKey, JsonObject } from '#graph/model';
import { parseJsonObject, textOr } from '../../document/json-text.ts';
import type { Bill } from '../bill-builder.ts';
import { BillValues, type Placed } from '../bill-values.ts';
import { LockBill, type ReadBeside } from './lock-bill.ts';

const LISTS = ['packages', 'packages-dev'];
const KINDS: readonly (readonly [string, string])[] = [
  ['require-dev', 'dev'],
  ['require', 'prod'],
];
/** PHP itself, its extensions and libraries, and Composer: nothing that is installed. */
const PLATFORM = /^(?:php(?:-.+)?|hhvm|(?:ext|lib)-.+|composer(?:-.+)?)$/i;

export function isComposerLock(document: JsonObject): boolean {
  const isList = Array.isArray(document['packages']);
  return isList && ('content-hash' in document || ('hash' in document && 'minimum-stability' in document));
}

/** Throws INVALID_REQUEST with the place of a fault. `folder` is the name of a project without a manifest. */
export async function readComposerLock(lock: JsonObject, beside: ReadBeside, folder: string): Promise<Bill> {
  const manifest = await beside('composer.json');
  const parsed = manifest === undefined ? undefined : parseJsonObject(manifest, 'a composer.json');
  return new ComposerLockReader().read(lock, parsed, folder);
}

class ComposerLockReader {
  readonly #values = new BillValues();
  readonly #bill = new LockBill(this.#values, 'composer');
  /** References by the names of packages, and of those that they stand for. */
  readonly #byName = new Map<string, string[]>();

  read(lock: JsonObject, manifest: JsonObject | undefined, folder: string): Bill {
    const packages = LISTS.flatMap((list) => this.#values.topList(lock, list));
    for (const each of packages) this.#add(each);
    const needed = new Set(packages.flatMap((each) => this.#addDependencies(each)));
    const named = manifest ?? {};
    const root = this.#bill.addRoot(textOr(named, 'name') ?? folder, textOr(named, 'version'));
    if (root !== undefined && manifest !== undefined) this.#addAsked(root, manifest);
    else if (root !== undefined) this.#addUnneeded(root, packages, needed);
    return this.#bill.finish();
  }

  /** Returns the names of what the package needs. */
  #addDependencies({ value, place }: Placed): readonly string[] {
    const owner = this.#bill.entityOf(place);
    if (owner === undefined) return [];
    const asked = this.#requirementsOf(value, place, 'require');
    for (const [name, range] of asked) this.#depend(owner, { name, range, kind: 'prod', place });
    return asked.map(([name]) => name.toLowerCase());
  }

  #addAsked(root: EntityKey, manifest: JsonObject): void {
    const place = 'composer.json';
    for (const [list, kind] of KINDS)
      for (const [name, range] of this.#requirementsOf(manifest, place, list))
        this.#depend(root, { name, range, kind, place });
  }

  #add(entry: Placed): void {
    const identity = this.#bill.identityOf(entry);
    if (identity === undefined) return;
    const source = this.#values.object(entry, 'source');
    const resolved = source && this.#values.text(source, 'url');
    const { license } = entry.value;
    const licences = typeof license === 'string' ? [license] : this.#values.texts(entry, 'license').texts;
    this.#bill.addPackage(entry.place, { ...identity, resolved, licences }, entry.place);
    this.#call(identity.name, entry.place);
    for (const list of ['provide', 'replace'])
      for (const [other] of this.#bill.textsOf(entry.value[list], `${entry.place}.${list}`))
        this.#call(other, entry.place);
  }

  #call(name: string, reference: string): void {
    const known = this.#byName.get(name.toLowerCase()) ?? [];
    this.#byName.set(name.toLowerCase(), [...known, reference]);
  }

  #requirementsOf(value: JsonObject, place: string, list: string): readonly (readonly [string, string])[] {
    // An empty map is an empty list in PHP.
    if (Array.isArray(value[list]) && value[list].length === 0) return [];
    const all = this.#bill.textsOf(value[list], `${place}.${list}`);
    return all.filter(([name]) => !PLATFORM.test(name));
  }

  #depend(
    owner: EntityKey,
    asked: {
      readonly name: string;
      readonly range: string;
      readonly kind: string | undefined;
      readonly place: string;
    },
  ): void {
    this.#bill.depend({ owner, ...asked, candidates: this.#byName.get(asked.name.toLowerCase()) ?? [] });
  }

  #addUnneeded(root: EntityKey, packages: readonly Placed[], needed: ReadonlySet<string>): void {
    const unneeded = packages.flatMap(({ value, place }) => {
      const name = textOr(value, 'name');
      return name === undefined || needed.has(name.toLowerCase()) ? [] : [[name, place] as const];
    });
    this.#bill.dependOnUnneeded(root, unneeded, 'composer.json');
  }
}
