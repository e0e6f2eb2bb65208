import { posix } from 'node:path';
import { type EntityKey, FieldPath, isAbsent, isJsonObject, type JsonObject, kindOf } from '#graph/model';
import { parseJsonObject, textOr } from '../../document/json-text.ts';
import { type Bill, BillBuilder } from '../bill-builder.ts';
import type { BillValues, Placed } from '../bill-values.ts';
import { componentName } from '../component-name.ts';
import { packageUrl, withoutCredentials } from './package-version.ts';

/** A package of a lock file. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string | undefined;
  readonly resolved?: string | undefined;
  readonly integrity?: string | undefined;
  readonly deprecated?: string | undefined;
  /** As `SHA-256:…`. */
  readonly hashes?: readonly string[] | undefined;
  /** As the file has them, one of which is chosen. */
  readonly licences?: readonly string[];
  /** The type in its package URL; by default that of the lock file. */
  readonly registry?: string;
}

export interface LockedDependency {
  readonly owner: EntityKey;
  readonly name: string;
  readonly range: string | undefined;
  readonly kind: string | undefined;
  /** The references that the dependency may have, the best first. */
  readonly candidates: readonly string[];
  readonly place: string;
}

/** A manifest, `package.json`; without one, the names of the project are those of folders. */
export interface Manifest {
  readonly name: string | undefined;
  readonly version: string | undefined;
  /** Ranges and kinds of the direct dependencies, by name; undefined without a manifest. */
  readonly dependencies: ReadonlyMap<string, Pick<LockedDependency, 'range' | 'kind'>> | undefined;
  readonly hasWorkspaces: boolean;
  /** What Yarn reads in place of the ranges of dependencies. */
  readonly resolutions: JsonObject;
}

/** Reads a file beside the lock file; undefined if there is none. */
export type ReadBeside = (path: string) => Promise<string | undefined>;

const VERB = 'DEPENDS_ON';
/**
 * The beginning of references to projects; no key of a package begins like this. One that is missing is
 * elsewhere.
 */
export const PROJECT = 'importer ';
/** Kinds of dependencies; for a name in several lists the last one counts. */
const KINDS: readonly (readonly [string, string])[] = [
  ['devDependencies', 'dev'],
  ['dependencies', 'prod'],
  ['optionalDependencies', 'optional'],
];

/**
 * Collects the projects and packages of a lock file whose dependencies are references, not a tree of folders.
 */
export class LockBill {
  readonly #values: BillValues;
  readonly #registry: string;
  readonly #builder: BillBuilder;

  /** `registry` is the type of its packages in package URLs. */
  constructor(values: BillValues, registry = 'npm') {
    this.#values = values;
    this.#registry = registry;
    this.#builder = new BillBuilder(values, {
      referenceTo: 'package',
      isExternal: (reference) => reference.startsWith(PROJECT),
    });
  }

  finish(): Bill {
    return this.#builder.finish();
  }

  addPackage(
    reference: string,
    { name, version, resolved, registry, licences = [], ...rest }: LockedPackage,
    place: string,
  ): void {
    const purl = packageUrl(name, version, registry ?? this.#registry);
    const found = componentName({ purl, plainName: name, isSubject: false });
    if (found === undefined) return;
    const properties = {
      ...rest,
      name: found.name,
      version: found.version,
      purl,
      resolved: resolved === undefined ? undefined : withoutCredentials(resolved),
    };
    const declared = licences.length < 2 ? licences : [licences.join(' OR ')];
    this.#builder.addComponent(
      reference,
      { name: found, class: 'Package', properties, licences: { declared, concluded: [] } },
      place,
    );
  }

  addProject(reference: string, { name, version }: LockedPackage, place: string): EntityKey | undefined {
    const purl = packageUrl(name, undefined, this.#registry);
    const found = componentName({ purl, plainName: name, isSubject: true });
    if (found === undefined) return undefined;
    const properties = { name: found.name, version };
    this.#builder.addComponent(
      reference,
      { name: found, class: 'Project', properties, licences: NONE },
      place,
    );
    return found;
  }

  /** The project that the file is of, whose reference is {@link PROJECT}. */
  addRoot(name: string, version?: string): EntityKey | undefined {
    return this.addProject(PROJECT, { name, version }, 'the project');
  }

  /** What an entry is called; one without a name or a version is left out, with a reason. */
  identityOf(entry: Placed): { readonly name: string; readonly version: string } | undefined {
    const name = this.#values.text(entry, 'name');
    const version = this.#values.text(entry, 'version');
    if (name !== undefined && version !== undefined) return { name, version };
    this.#values.leaveOut(entry.place, 'expected a package with a name and a version');
    return undefined;
  }

  /** Without its manifest, a project has those packages that no other asks for; it may ask for more. */
  dependOnUnneeded(
    root: EntityKey,
    unneeded: Iterable<readonly [name: string, reference: string]>,
    manifest: string,
  ): void {
    const asked = { owner: root, range: undefined, kind: undefined, place: 'the project' };
    for (const [name, reference] of unneeded) this.depend({ ...asked, name, candidates: [reference] });
    this.unknown(
      root,
      `${manifest} is not beside the lock file: what the project depends on is not all known`,
    );
  }

  entityOf(reference: string): EntityKey | undefined {
    return this.#builder.entityOf(reference);
  }

  /** A missing optional dependency is no fault: it does not fit the platform. */
  depend({ owner, name, range, kind, candidates, place }: LockedDependency): void {
    const known = candidates.find((each) => this.#builder.entityOf(each) !== undefined);
    const reference = known ?? candidates.find((each) => each.startsWith(PROJECT));
    const properties = { kind, range };
    if (reference !== undefined)
      this.#builder.link({ owner, end: 'from', verb: VERB, reference, place, properties });
    else if (kind !== 'optional')
      this.unknown(owner, `${place}: ${name} ${range ?? ''} is not in the lock file`);
  }

  relate(from: EntityKey, verb: string, to: EntityKey): void {
    this.#builder.relate(from, verb, to);
  }

  /** Some dependencies of an entity cannot be known from the file. */
  unknown(owner: EntityKey, reason: string): void {
    const { type, key } = owner;
    this.#builder.addUnresolved({ owner: { type, key }, end: 'from', verb: VERB, reason });
  }

  /** The flat texts of a map, such as ranges by name. */
  textsOf(value: unknown, place: string): readonly (readonly [string, string])[] {
    const object = this.mapOf(value, place);
    return Object.keys(object).flatMap((name) => {
      const text = this.#values.text({ value: object, place }, name);
      return text === undefined ? [] : [[name, text] as const];
    });
  }

  /** The objects of a map; others are left out with a reason. */
  objectsOf(value: unknown, place: string): readonly (readonly [string, JsonObject])[] {
    return Object.entries(this.mapOf(value, place)).flatMap(([key, entry]) => {
      if (isJsonObject(entry)) return [[key, entry] as const];
      this.#values.leaveOut(`${place}["${key.slice(0, 200)}"]`, `expected an object, got ${kindOf(entry)}`);
      return [];
    });
  }

  /** A map of the file; absent is empty, and so is nothing in YAML. */
  mapOf(value: unknown, place: string): JsonObject {
    if (isJsonObject(value)) return value;
    if (!isAbsent(value) && value !== '')
      this.#values.leaveOut(place.slice(0, 200), `expected a map, got ${kindOf(value)}`);
    return {};
  }
}

const NONE = { declared: [], concluded: [] };
export const NO_MANIFEST: Manifest = {
  name: undefined,
  version: undefined,
  dependencies: undefined,
  hasWorkspaces: false,
  resolutions: {},
};

/**
 * Reads the package.json of a folder, which is none if the folder is not below that of the lock file. Throws
 * INVALID_REQUEST for one that is no JSON object.
 */
export async function readManifest(beside: ReadBeside, folder = '.'): Promise<Manifest> {
  const isInside = !posix.isAbsolute(folder) && !posix.normalize(folder).startsWith('..');
  const path = posix.join(folder, 'package.json');
  const text = isInside ? await beside(path) : undefined;
  if (text === undefined) return NO_MANIFEST;
  const manifest = parseJsonObject(text, `a ${path}`);
  return {
    name: textOr(manifest, 'name'),
    version: textOr(manifest, 'version'),
    dependencies: new Map(KINDS.flatMap(([list, kind]) => requirementsIn(manifest, list, kind))),
    hasWorkspaces: manifest['workspaces'] !== undefined,
    resolutions: isJsonObject(manifest['resolutions']) ? manifest['resolutions'] : {},
  };
}

function requirementsIn(
  manifest: JsonObject,
  list: string,
  kind: string,
): readonly (readonly [string, Pick<LockedDependency, 'range' | 'kind'>])[] {
  const ranges = manifest[list];
  if (isAbsent(ranges)) return [];
  if (!isJsonObject(ranges))
    throw new FieldPath('package.json').fault(list, `expected an object, got ${kindOf(ranges)}`);
  return Object.entries(ranges).map(([name, range]) => [
    name,
    { range: typeof range === 'string' ? range : undefined, kind },
  ]);
}
