/** `uv.lock` of version 1: packages by name and version, and the projects of the workspace. */
import { FieldPath, isJsonObject, type JsonObject } from '#graph/model';
import { parseTomlText } from '../../../document/toml-text.ts';
import type { Bill } from '../../bill-builder.ts';
import { BillValues, type Placed } from '../../bill-values.ts';
import { LockBill } from '../lock-bill.ts';
import { sameName } from './requirement.ts';

/** Fields of the source of what is a folder of the workspace. */
const FOLDERS = ['virtual', 'editable', 'directory'];
const PLACES = ['git', 'url', 'path'];

interface Locked {
  readonly name: string;
  readonly version: string | undefined;
  readonly reference: string;
  readonly entry: Placed;
}

/** Throws INVALID_REQUEST with the place of a fault. */
export function readUvLock(text: string): Bill {
  const lock = parseTomlText(text, 'a uv.lock');
  if (lock['version'] !== 1) throw new FieldPath().fault('version', 'expected 1, as uv writes');
  return new UvLockReader(lock).read();
}

class UvLockReader {
  readonly #values = new BillValues();
  readonly #bill = new LockBill(this.#values, 'pypi');
  readonly #lock: JsonObject;
  readonly #byName = new Map<string, Locked[]>();

  constructor(lock: JsonObject) {
    this.#lock = lock;
  }

  read(): Bill {
    const packages = this.#values.topList(this.#lock, 'package').flatMap((each) => this.#lockedIn(each));
    for (const each of packages) this.#add(each);
    for (const each of packages) this.#addDependencies(each);
    return this.#bill.finish();
  }

  #lockedIn(entry: Placed): readonly Locked[] {
    const name = this.#values.text(entry, 'name');
    const version = this.#values.text(entry, 'version');
    if (name !== undefined) return [{ name, version, reference: referenceOf(name, entry.value), entry }];
    this.#values.leaveOut(entry.place, 'expected a package with a name');
    return [];
  }

  #add(locked: Locked): void {
    const { name, version, reference, entry } = locked;
    const source = this.#bill.mapOf(entry.value['source'], `${entry.place}.source`);
    const known = this.#byName.get(sameName(name)) ?? [];
    this.#byName.set(sameName(name), [...known, locked]);
    if (FOLDERS.some((field) => field in source))
      this.#bill.addProject(reference, { name, version }, entry.place);
    else {
      const resolved = PLACES.map((field) => source[field]).find((each) => typeof each === 'string');
      this.#bill.addPackage(reference, { name, version, resolved }, entry.place);
    }
  }

  #addDependencies({ entry, reference }: Locked): void {
    const owner = this.#bill.entityOf(reference);
    if (owner === undefined) return;
    for (const { list, kind, group } of listsOf(entry)) {
      const ranges = rangesOf(entry.value, group);
      for (const dependency of this.#values.list(list, group ?? 'dependencies')) {
        const name = this.#values.text(dependency, 'name') ?? '';
        const candidates = this.#candidates(name, dependency.value);
        const range = ranges.get(sameName(name));
        this.#bill.depend({ owner, name, range, kind, candidates, place: dependency.place });
      }
    }
  }

  /** A dependency has the version, and the source, where the name is not enough. */
  #candidates(name: string, dependency: JsonObject): readonly string[] {
    const named = this.#byName.get(sameName(name)) ?? [];
    const { version, source } = dependency;
    const found = named.filter((each) => version === undefined || each.version === version);
    const same = found.filter(({ reference }) => reference === referenceOf(name, dependency));
    const chosen = source === undefined || same.length === 0 ? found : same;
    return chosen.length === 1 ? chosen.map(({ reference }) => reference) : [];
  }
}

/** What is from several sources differs by them. */
function referenceOf(name: string, { version, source }: JsonObject): string {
  return JSON.stringify([sameName(name), version, source]);
}

interface DependencyList {
  readonly list: Placed;
  readonly kind: string;
  /** The extra or the group, in which the list has its name. */
  readonly group: string | undefined;
}

function listsOf(entry: Placed): readonly DependencyList[] {
  const groups = (field: string, kind: string): readonly DependencyList[] => {
    const value = entry.value[field];
    const list = { value: isJsonObject(value) ? value : {}, place: `${entry.place}.${field}` };
    return Object.keys(list.value).map((group) => ({ list, kind, group }));
  };
  return [
    ...groups('dev-dependencies', 'dev'),
    ...groups('optional-dependencies', 'optional'),
    { list: entry, kind: 'prod', group: undefined },
  ];
}

/** What a project asks for, as its manifest says. */
function rangesOf({ metadata }: JsonObject, group: string | undefined): ReadonlyMap<string, string> {
  const facts = isJsonObject(metadata) ? metadata : {};
  const dev = facts['requires-dev'];
  const ofGroup = group !== undefined && isJsonObject(dev) ? dev[group] : undefined;
  const asked: readonly unknown[] = [ofGroup, facts['requires-dist']].flat();
  const ranges = asked.flatMap((each) => {
    const { name, specifier } = isJsonObject(each) ? each : {};
    return typeof name === 'string' && typeof specifier === 'string'
      ? [[sameName(name), specifier] as const]
      : [];
  });
  // The first one counts.
  return new Map(ranges.reverse());
}
