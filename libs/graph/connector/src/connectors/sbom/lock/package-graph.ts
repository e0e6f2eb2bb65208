import {
  createProperties,
  type EntityInput,
  type EntityKey,
  type Properties,
  type RelationshipInput,
} from '#graph/model';
import { knownProperties } from '../bill-builder.ts';
import { fittingKey } from '../../document/fitting-key.ts';
import { licencesIn } from '../licence.ts';
import type { DependencyKind, LockEntry, Requirement } from './lock-entry.ts';
import { type LockFile, placeOfEntry } from './lock-file.ts';
import { PackageVersion } from './package-version.ts';

/** A dependency without a package in the lock file. npm omits packages that do not fit the tree. */
export interface UnresolvedDependency {
  /** The dependent package. */
  readonly from: EntityKey;
  readonly name: string;
  readonly range: string;
  readonly kind: DependencyKind;
}

interface Dependency {
  readonly to: PackageVersion;
  readonly requirement: Requirement;
}

/** The installed copies of a lock file merged into versions, with their dependencies. */
export class PackageGraph {
  readonly unresolved: UnresolvedDependency[] = [];
  readonly #byPath = new Map<string, PackageVersion>();
  readonly #byKey = new Map<string, PackageVersion>();
  readonly #dependencies = new Map<PackageVersion, Map<PackageVersion, Dependency>>();
  readonly #tree: InstalledTree;

  constructor(lock: LockFile) {
    this.#tree = new InstalledTree(lock.entries);
    const linkNames = namesOfLinks(lock);
    for (const [path, entry] of lock.entries) {
      if (entry.linkTarget === undefined) this.#addCopy(path, entry, lock, linkNames.get(path));
    }
    for (const [path, from] of this.#byPath) this.#addDependencies(path, from, lock);
    this.#measureDepths();
  }

  /** The project at the root. */
  get root(): EntityKey | undefined {
    const root = this.#byPath.get('');
    return root && keyOf(root);
  }

  entities(): readonly EntityInput[] {
    const licences = new Map(
      this.#versions().flatMap((version) =>
        licencesOf(version).map((name) => [name, licenceEntity(name)] as const),
      ),
    );
    return [...this.#versions().map((version) => version.toEntity()), ...licences.values()];
  }

  relationships(): readonly RelationshipInput[] {
    return this.#versions().flatMap((from) => [
      ...this.#dependenciesOf(from).map(({ to, requirement }) => dependsOn(from, to, requirement)),
      ...licencesOf(from).map((name) => relationship(from, 'LICENSED_UNDER', licenceEntity(name))),
      ...this.#workspacesOf(from).map((workspace) => relationship(from, 'CONTAINS', workspace)),
    ]);
  }

  #versions(): readonly PackageVersion[] {
    return Array.from(this.#byKey.values());
  }

  #dependenciesOf(version: PackageVersion): readonly Dependency[] {
    return Array.from(this.#dependencies.get(version)?.values() ?? []);
  }

  #workspacesOf(version: PackageVersion): readonly PackageVersion[] {
    if (version !== this.#byPath.get('')) return [];
    return this.#versions().filter((other) => other.type === 'npm_project' && other !== version);
  }

  #addCopy(path: string, entry: LockEntry, lock: LockFile, linkName: string | undefined): void {
    const installedAs = installedName(path);
    const type = installedAs === undefined ? 'npm_project' : 'npm_package';
    const stated = entry.name ?? installedAs ?? linkName ?? lock.name ?? lastSegment(path);
    const name = lock.values.fitting(stated, placeOfEntry(path));
    const copy = new PackageVersion(type, name, entry);
    if (copy.isCut) lock.values.warn(placeOfEntry(path), `the key of ${name.slice(0, 40)} was cut`);
    const identity = `${type} ${copy.key}`;
    const version = this.#byKey.get(identity) ?? copy;
    version.addCopy(entry);
    this.#byKey.set(identity, version);
    this.#byPath.set(path, version);
  }

  #addDependencies(path: string, from: PackageVersion, lock: LockFile): void {
    const targets = this.#dependencies.get(from) ?? new Map<PackageVersion, Dependency>();
    this.#dependencies.set(from, targets);
    for (const requirement of lock.entries.get(path)?.requirements ?? []) {
      const to = this.#byPath.get(this.#tree.resolve(path, requirement.name) ?? '\0');
      if (to !== undefined) targets.set(to, { to, requirement });
      else if (requirement.isRequired) this.unresolved.push(unresolvedDependency(from, requirement));
    }
  }

  /** Breadth first from all projects at once. */
  #measureDepths(): void {
    let level = this.#versions().filter(({ type }) => type === 'npm_project');
    for (let depth = 0; level.length > 0; depth++) {
      const next = new Set<PackageVersion>();
      for (const version of level) {
        version.depth = depth;
        for (const { to } of this.#dependenciesOf(version)) next.add(to);
      }
      level = Array.from(next).filter((version) => version.depth === undefined);
    }
  }
}

/** A workspace's own entry often has no name; the link to it has one. */
function namesOfLinks(lock: LockFile): ReadonlyMap<string, string | undefined> {
  const links = Array.from(lock.entries).filter(([, { linkTarget }]) => linkTarget !== undefined);
  return new Map(links.map(([path, { linkTarget }]) => [linkTarget ?? '', installedName(path)]));
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1) || 'project';
}

function licencesOf({ entry }: PackageVersion): readonly string[] {
  return entry.licence === undefined ? [] : licencesIn(entry.licence).map(fittingKey);
}

function licenceEntity(name: string): EntityInput {
  return {
    type: 'license',
    key: name,
    class: 'License',
    displayName: name,
    properties: knownProperties({ name }),
  };
}

function unresolvedDependency(from: PackageVersion, requirement: Requirement): UnresolvedDependency {
  const { name, range, kind } = requirement;
  return { from: keyOf(from), name, range, kind };
}

function dependsOn(from: PackageVersion, to: PackageVersion, requirement: Requirement): RelationshipInput {
  const { kind, range } = requirement;
  return relationship(from, 'DEPENDS_ON', to, knownProperties({ kind, range }));
}

function relationship(
  from: EntityKey,
  verb: string,
  to: EntityKey,
  properties: Properties = createProperties(),
): RelationshipInput {
  return { from: keyOf(from), verb, to: keyOf(to), properties };
}

function keyOf({ type, key }: EntityKey): EntityKey {
  return { type, key };
}

/**
 * Resolves a dependency to an installed copy: npm's layout of node_modules, and Node's search in it.
 *
 * 1. The dependent package has a path, `node_modules/a/node_modules/b`; the project itself has `''`.
 * 2. The search walks from that folder upwards through `<folder>/node_modules/<name>`.
 * 3. A link (a workspace) resolves to its target entry.
 */
const NODE_MODULES = 'node_modules';

export class InstalledTree {
  readonly #entries: ReadonlyMap<string, LockEntry>;

  constructor(entries: ReadonlyMap<string, LockEntry>) {
    this.#entries = entries;
  }

  /** The path of the entry to which `name` resolves for the package at `from`; undefined if there is none. */
  resolve(from: string, name: string): string | undefined {
    for (const folder of foldersUpwards(from)) {
      const path = folder === '' ? `${NODE_MODULES}/${name}` : `${folder}/${NODE_MODULES}/${name}`;
      const entry = this.#entries.get(path);
      if (entry !== undefined) return entry.linkTarget ?? path;
    }
    return undefined;
  }
}

function* foldersUpwards(from: string): Generator<string> {
  for (let folder = from; folder !== ''; folder = parentOf(folder)) {
    if (folder !== NODE_MODULES && !folder.endsWith(`/${NODE_MODULES}`)) yield folder;
  }
  yield '';
}

function parentOf(folder: string): string {
  const slash = folder.lastIndexOf('/');
  return slash < 0 ? '' : folder.slice(0, slash);
}

/** The name under which a package is installed at a path; undefined for a project. */
function installedName(path: string): string | undefined {
  const at = path.lastIndexOf(`${NODE_MODULES}/`);
  const isInstalled = at === 0 || (at > 0 && path[at - 1] === '/');
  return isInstalled ? path.slice(at + NODE_MODULES.length + 1) : undefined;
}
