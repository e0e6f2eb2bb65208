import { isAbsent, isJsonObject, type JsonObject, kindOf } from '#graph/model';
import type { BillValues, Placed } from '../bill-values.ts';
import { licenceText } from '../licence.ts';

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

/**
 * Reads one entry; a value that is not as expected is left out with a warning. Undefined for a link without
 * a target.
 */
export function readLockEntry(entry: Placed, values: BillValues): LockEntry | undefined {
  const resolved = values.text(entry, 'resolved');
  const isLink = flag(entry, 'link', values);
  if (isLink && resolved === undefined) {
    values.leaveOut(`${entry.place}.resolved`, 'expected the path that the link leads to');
    return undefined;
  }
  const fitting = (text: string | undefined): string | undefined => text && values.fitting(text, entry.place);
  return {
    name: values.text(entry, 'name'),
    version: values.text(entry, 'version'),
    linkTarget: isLink ? resolved : undefined,
    licence: fitting(licence(entry, values)),
    resolved: isLink ? undefined : resolved,
    integrity: values.text(entry, 'integrity'),
    deprecated: deprecation(entry, values),
    nodeRange: fitting(nodeRange(entry.value['engines'])),
    platforms: {
      os: textList(entry, 'os', values),
      cpu: textList(entry, 'cpu', values),
      libc: textList(entry, 'libc', values),
    },
    isDev: flag(entry, 'dev', values),
    isOptional: flag(entry, 'optional', values) || flag(entry, 'devOptional', values),
    isBundled: flag(entry, 'inBundle', values),
    hasInstallScript: flag(entry, 'hasInstallScript', values),
    requirements: readRequirements(entry, values),
  };
}

/** In ascending precedence for a name in several lists: in npm and Bun, optional overrides prod. */
export const DEPENDENCY_LISTS: readonly (readonly [string, DependencyKind])[] = [
  ['peerDependencies', 'peer'],
  ['devDependencies', 'dev'],
  ['dependencies', 'prod'],
  ['optionalDependencies', 'optional'],
];

function readRequirements(entry: Placed, values: BillValues): Requirement[] {
  const optionalPeers = optionalPeerNames(entry, values);
  const byName = new Map<string, Requirement>();
  for (const [list, kind] of DEPENDENCY_LISTS) {
    const requirements = values.object(entry, list) ?? { value: {}, place: entry.place };
    for (const name of Object.keys(requirements.value)) {
      const isRequired = kind === 'peer' ? !optionalPeers.has(name) : kind !== 'optional';
      const range = values.text(requirements, name);
      if (requirements.value[name] === null)
        values.warn(`${requirements.place}.${name}`, 'expected a text, got null');
      byName.set(name, { name, range: range ?? '', kind, isRequired });
    }
  }
  return Array.from(byName.values());
}

function optionalPeerNames(entry: Placed, values: BillValues): ReadonlySet<string> {
  const metas = values.object(entry, 'peerDependenciesMeta')?.value ?? {};
  const isOptional = (meta: unknown): boolean => isJsonObject(meta) && meta['optional'] === true;
  return new Set(Object.keys(metas).filter((name) => isOptional(metas[name])));
}

function flag({ value, place }: Placed, field: string, values: BillValues): boolean {
  const given = value[field];
  if (typeof given !== 'boolean' && !isAbsent(given))
    values.leaveOut(`${place}.${field}`, `expected true or false, got ${kindOf(given)}`);
  return given === true;
}

/** npm copies these from package.json, where a single text is allowed as well. */
function textList(entry: Placed, field: string, values: BillValues): readonly string[] | undefined {
  const given = entry.value[field];
  if (isAbsent(given)) return undefined;
  const text = typeof given === 'string' ? values.text(entry, field) : undefined;
  if (text !== undefined) return [text];
  return values.properties(entry, field);
}

function licence({ value: { license }, place }: Placed, values: BillValues): string | undefined {
  const text = licenceText(license);
  if (text !== undefined || isAbsent(license) || license === '') return text;
  const expected = 'expected a licence, a list of them, or an object with a type';
  // Old packages may state the address of a licence only.
  if (isJsonObject(license) && 'url' in license) values.warn(`${place}.license`, expected);
  else values.leaveOut(`${place}.license`, expected);
  return undefined;
}

/** Other forms of engines, in old packages, are ignored. */
function nodeRange(engines: unknown): string | undefined {
  if (!isJsonObject(engines)) return undefined;
  const { node }: JsonObject = engines;
  return typeof node === 'string' ? node : undefined;
}

/** Usually the maintainer's message; booleans occur as well. */
function deprecation(entry: Placed, values: BillValues): string | undefined {
  const given = entry.value['deprecated'];
  if (typeof given === 'boolean') return given ? 'deprecated' : undefined;
  return values.text(entry, 'deprecated');
}
