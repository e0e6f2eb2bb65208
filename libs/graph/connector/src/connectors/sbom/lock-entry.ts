import {
  type FieldPath,
  isAbsent,
  type JsonObject,
  jsonObject,
  kindOf,
  MODEL_LIMITS,
  parseKey,
  parseText,
} from '#graph/model';
import { licenceText } from './licence.ts';

/** Well above the lengths that npm writes, and below the limit of a property. */
const TEXT_LENGTH_MAX = MODEL_LIMITS.displayNameLengthMax;

export type DependencyKind = 'prod' | 'dev' | 'peer' | 'optional';

/** A dependency before its resolution to an installed copy. */
export interface Requirement {
  readonly name: string;
  readonly range: string;
  readonly kind: DependencyKind;
  /** Whether the tree is invalid without it. */
  readonly isRequired: boolean;
}

/** One value of `packages` in a lock file: a project, or a copy of a package in the tree. */
export interface LockEntry {
  readonly name: string | undefined;
  readonly version: string | undefined;
  /** Target of a link: the path of another entry. */
  readonly linkTarget: string | undefined;
  readonly licence: string | undefined;
  readonly resolved: string | undefined;
  readonly integrity: string | undefined;
  readonly deprecated: string | undefined;
  readonly nodeRange: string | undefined;
  readonly platforms: Readonly<Record<'os' | 'cpu' | 'libc', readonly string[] | undefined>>;
  readonly isDev: boolean;
  readonly isOptional: boolean;
  readonly isBundled: boolean;
  readonly hasInstallScript: boolean;
  readonly requirements: readonly Requirement[];
}

/** Parses one entry; throws INVALID_REQUEST with the path of an invalid field. */
export function parseLockEntry(value: unknown, path: FieldPath): LockEntry {
  const entry = jsonObject(value, path);
  const resolved = optionalText(entry, 'resolved', path);
  const isLink = flag(entry, 'link', path);
  if (isLink && resolved === undefined)
    throw path.fault('resolved', 'expected the path that the link leads to');
  return {
    name: optionalText(entry, 'name', path),
    version: optionalText(entry, 'version', path),
    linkTarget: isLink ? resolved : undefined,
    licence: licence(entry['license'], path),
    resolved: isLink ? undefined : resolved,
    integrity: optionalText(entry, 'integrity', path),
    deprecated: deprecation(entry['deprecated'], path),
    nodeRange: nodeRange(entry['engines'], path),
    platforms: {
      os: textList(entry, 'os', path),
      cpu: textList(entry, 'cpu', path),
      libc: textList(entry, 'libc', path),
    },
    isDev: flag(entry, 'dev', path),
    isOptional: flag(entry, 'optional', path) || flag(entry, 'devOptional', path),
    isBundled: flag(entry, 'inBundle', path),
    hasInstallScript: flag(entry, 'hasInstallScript', path),
    requirements: parseRequirements(entry, path),
  };
}

/** In ascending precedence for a name in several lists: in npm, optional overrides prod. */
const LISTS: readonly (readonly [string, DependencyKind])[] = [
  ['peerDependencies', 'peer'],
  ['devDependencies', 'dev'],
  ['dependencies', 'prod'],
  ['optionalDependencies', 'optional'],
];

function parseRequirements(entry: JsonObject, path: FieldPath): Requirement[] {
  const optionalPeers = optionalPeerNames(entry, path);
  const byName = new Map<string, Requirement>();
  for (const [list, kind] of LISTS) {
    for (const [name, range] of Object.entries(optionalObject(entry, list, path))) {
      const isRequired = kind === 'peer' ? !optionalPeers.has(name) : kind !== 'optional';
      byName.set(name, { name, range: text(range, `${list}["${name}"]`, path), kind, isRequired });
    }
  }
  return Array.from(byName.values());
}

function optionalPeerNames(entry: JsonObject, path: FieldPath): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [name, meta] of Object.entries(optionalObject(entry, 'peerDependenciesMeta', path))) {
    if (jsonObject(meta, path, `peerDependenciesMeta["${name}"]`)['optional'] === true) names.add(name);
  }
  return names;
}

function optionalObject(entry: JsonObject, field: string, path: FieldPath): JsonObject {
  return isAbsent(entry[field]) ? {} : jsonObject(entry[field], path, field);
}

function optionalText(entry: JsonObject, field: string, path: FieldPath): string | undefined {
  const value = entry[field];
  return isAbsent(value) ? undefined : text(value, field, path);
}

function text(value: unknown, field: string, path: FieldPath): string {
  return parseText(value, path, field, TEXT_LENGTH_MAX);
}

function flag(entry: JsonObject, field: string, path: FieldPath): boolean {
  const value = entry[field];
  if (isAbsent(value)) return false;
  if (typeof value !== 'boolean') throw path.fault(field, `expected true or false, got ${kindOf(value)}`);
  return value;
}

/** npm copies these from package.json, where a single text is allowed as well. */
function textList(entry: JsonObject, field: string, path: FieldPath): readonly string[] | undefined {
  const value = entry[field];
  if (isAbsent(value)) return undefined;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.map((item, index) => text(item, `${field}[${index}]`, path));
}

/** Other forms of engines, in old packages, are ignored. */
function nodeRange(engines: unknown, path: FieldPath): string | undefined {
  if (typeof engines !== 'object' || engines === null || !('node' in engines)) return undefined;
  return typeof engines.node === 'string' ? text(engines.node, 'engines.node', path) : undefined;
}

function licence(value: unknown, path: FieldPath): string | undefined {
  const name = licenceText(value);
  return name === undefined ? undefined : parseKey(name, path, 'license');
}

/** Usually the maintainer's message; booleans occur as well. */
function deprecation(value: unknown, path: FieldPath): string | undefined {
  if (value === true) return 'deprecated';
  return typeof value === 'string' ? text(value, 'deprecated', path) : undefined;
}
