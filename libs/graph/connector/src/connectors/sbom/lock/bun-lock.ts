/**
 * `bun.lock`, which is JSON with a comma behind the last of a list. Packages stand under their paths below
 * each other, `is-even/is-odd`, where a dependency is looked for from the path of its owner upwards.
 */
import { FieldPath, isJsonObject, type JsonObject, jsonObject } from '#graph/model';
import { parseYaml } from '../../document/yaml-text.ts';
import type { Bill } from '../bill-builder.ts';
import { BillValues } from '../bill-values.ts';
import { DEPENDENCY_LISTS } from './lock-entry.ts';
import { LockBill, PROJECT } from './lock-bill.ts';

/** The beginning of the file: a `package-lock.json` has no projects behind its version. */
export const BUN_LOCK = /^\s*\{\s*"lockfileVersion":\s*\d+,\s*(?:"configVersion":\s*\d+,\s*)?"workspaces":/;

const VERSIONS: readonly unknown[] = ['0', '1', '2'];
const NAMES = /(?:@[^/]+\/)?[^/]+/g;
/** What is no version of the registry: a folder, a file, a repository, an address. */
const ELSEWHERE = /^(?:[a-z+]+:|[^@/\s]+\/[^@/\s]+#)/i;
const FOLDER = /^(?:link:|root:|file:(?!.*\.(?:tgz|tar\.gz)$))/i;

interface Locked {
  readonly path: string;
  readonly name: string;
  /** A version, or the place of a package that is not in the registry. */
  readonly reference: string;
  readonly address: string | undefined;
  readonly integrity: string | undefined;
  readonly info: JsonObject;
}

/** Throws INVALID_REQUEST with the place of a fault. `folder` is the name of a project without one. */
export function readBunLock(text: string, folder: string): Bill {
  const top = new FieldPath();
  // YAML has all of JSON, and the commas.
  const lock = jsonObject(parseYaml(text, 'a bun.lock'), top);
  if (!VERSIONS.includes(lock['lockfileVersion']))
    throw top.fault('lockfileVersion', 'expected 0, 1 or 2, as Bun writes');
  const { workspaces } = lock;
  if (!isJsonObject(workspaces) || !isJsonObject(workspaces['']))
    throw top.fault('workspaces[""]', 'expected the project itself, got nothing');
  return new BunLockReader(lock, folder).read();
}

class BunLockReader {
  readonly #values = new BillValues();
  readonly #bill = new LockBill(this.#values);
  readonly #lock: JsonObject;
  readonly #folder: string;
  /** References by paths. */
  readonly #references = new Map<string, string>();

  constructor(lock: JsonObject, folder: string) {
    this.#lock = lock;
    this.#folder = folder;
  }

  read(): Bill {
    const projects = this.#bill.objectsOf(this.#lock['workspaces'], 'workspaces');
    for (const [path, project] of projects) this.#addProject(path, project);
    const packages = this.#packages();
    for (const each of packages) this.#addPackage(each);
    for (const [path, project] of projects) {
      const { name } = project;
      const above = path === '' || typeof name !== 'string' ? [] : [name];
      this.#addDependencies(PROJECT + path, project, above);
    }
    for (const { path, info } of packages)
      this.#addDependencies(this.#references.get(path) ?? '', info, path.match(NAMES) ?? []);
    this.#addWorkspace(projects.map(([path]) => path));
    return this.#bill.finish();
  }

  #packages(): readonly Locked[] {
    return Object.entries(this.#bill.mapOf(this.#lock['packages'], 'packages')).flatMap(([path, value]) => {
      const found = Array.isArray(value) ? lockedIn(path, value) : undefined;
      if (found !== undefined) return [found];
      this.#values.leaveOut(
        `packages["${path.slice(0, 200)}"]`,
        'expected [name@version, address, object, checksum], or the list of a package that is elsewhere',
      );
      return [];
    });
  }

  #addProject(path: string, project: JsonObject): void {
    const place = `workspaces["${path.slice(0, 200)}"]`;
    const text = (field: string): string | undefined => this.#values.text({ value: project, place }, field);
    const name = text('name') ?? (path === '' ? this.#folder : path);
    this.#bill.addProject(PROJECT + path, { name, version: text('version') }, place);
  }

  #addPackage({ path, name, reference, address, integrity }: Locked): void {
    const workspace = /^workspace:(.*)$/.exec(reference)?.[1];
    this.#references.set(path, workspace === undefined ? path : PROJECT + workspace);
    if (workspace !== undefined) return;
    if (FOLDER.test(reference)) this.#bill.addProject(path, { name, version: undefined }, path);
    else {
      const isElsewhere = ELSEWHERE.test(reference);
      const version = isElsewhere ? undefined : reference;
      this.#bill.addPackage(
        path,
        { name, version, integrity, resolved: isElsewhere ? reference : address },
        path,
      );
    }
  }

  /** `above` are the names in the path of the owner. */
  #addDependencies(owner: string, info: JsonObject, above: readonly string[]): void {
    const entity = this.#bill.entityOf(owner);
    if (entity === undefined) return;
    const place = above.join('/') || 'workspaces[""]';
    const { optionalPeers } = info;
    const optional = new Set(Array.isArray(optionalPeers) ? optionalPeers : []);
    const found = new Map<string, { readonly range: string; readonly kind: string }>();
    for (const [list, kind] of DEPENDENCY_LISTS)
      for (const [name, range] of this.#bill.textsOf(info[list], `${place}, ${list}`))
        found.set(name, { range, kind });
    for (const [name, { range, kind }] of found) {
      const paths = above.map((_, index) => [...above.slice(0, above.length - index), name].join('/'));
      const candidates = [...paths, name].flatMap((path) => this.#references.get(path) ?? []);
      if (candidates.length === 0 && optional.has(name)) continue;
      this.#bill.depend({ owner: entity, name, range, kind, candidates, place });
    }
  }

  #addWorkspace(paths: readonly string[]): void {
    const root = this.#bill.entityOf(PROJECT);
    for (const path of paths) {
      const project = this.#bill.entityOf(PROJECT + path);
      if (path !== '' && root !== undefined && project !== undefined)
        this.#bill.relate(root, 'CONTAINS', project);
    }
  }
}

/** `["name@version", address, {facts}, checksum]`; what is not in the registry has less. */
function lockedIn(path: string, [locator, ...rest]: readonly unknown[]): Locked | undefined {
  const at = typeof locator === 'string' ? locator.indexOf('@', 1) : -1;
  if (typeof locator !== 'string' || at < 0) return undefined;
  const reference = locator.slice(at + 1);
  const isElsewhere = ELSEWHERE.test(reference) || FOLDER.test(reference);
  if (!(isElsewhere ? isPartOfEntry(rest) : isOfRegistry(rest))) return undefined;
  const [address] = rest;
  const checksum = rest.at(-1);
  return {
    path,
    name: locator.slice(0, at),
    reference,
    address: typeof address === 'string' && address !== '' ? address : undefined,
    integrity: isChecksum(checksum) ? checksum : undefined,
    info: rest.find(isJsonObject) ?? {},
  };
}

function isOfRegistry([address, facts, checksum, ...more]: readonly unknown[]): boolean {
  const isWhole = typeof address === 'string' && isJsonObject(facts) && more.length === 0;
  return isWhole && (checksum === '' || isChecksum(checksum));
}

function isPartOfEntry(rest: readonly unknown[]): boolean {
  return rest.every((each) => typeof each === 'string' || isJsonObject(each));
}

function isChecksum(value: unknown): value is string {
  return typeof value === 'string' && /^sha\d+-/.test(value);
}
