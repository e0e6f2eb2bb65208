/**
 * Under which type and key a component is an entity: the same that a lock file's package has.
 *
 *     pkg:npm/%40scope/name@1.0                    npm_package @scope/name@1.0
 *     pkg:deb/debian/openssl@3.0?arch=arm64        deb_package debian/openssl@3.0?arch=arm64
 *
 * Qualifiers make another package of the same version, so they are part of the key, in alphabetical order;
 * those that say where it lies do not count. See https://github.com/package-url/purl-spec.
 */
import type { FieldPath, JsonObject } from '#graph/model';
import { textIn, textOr } from '../json-text.ts';

export interface ComponentName {
  readonly type: string;
  readonly key: string;
  readonly name: string;
}

/** What a bill says of a component's name. */
export interface ComponentIdentity {
  readonly purl: string | undefined;
  readonly version: string | undefined;
  /** Where there is no package URL. */
  readonly plainName: () => string;
  /** The one that the bill is about: it is one over all its versions, a component is another in each. */
  readonly isSubject: boolean;
}

const PACKAGE_URL = /^pkg:([a-z0-9.+-]+)\/([^?#]+)(?:\?([^#]*))?/i;
const PLACES: ReadonlySet<string> = new Set([
  'repository_url',
  'download_url',
  'vcs_url',
  'file_name',
  'checksum',
]);

export function componentName({ purl, version, plainName, isSubject }: ComponentIdentity): ComponentName {
  const [, ecosystem = '', rest = '', qualifiers = ''] = PACKAGE_URL.exec(purl ?? '') ?? [];
  const name = rest === '' ? plainName() : packageName(rest);
  const kind = isSubject ? 'project' : ecosystem === '' ? 'component' : 'package';
  const type = ecosystem === '' ? kind : `${ecosystem.toLowerCase()}_${kind}`;
  if (isSubject) return { type, name, key: name };
  return { type, name, key: (version === undefined ? name : `${name}@${version}`) + variant(qualifiers) };
}

/** Of a component of CycloneDX. */
export function nameOfComponent(component: JsonObject, path: FieldPath, isSubject: boolean): ComponentName {
  return componentName({
    purl: textOr(component, 'purl'),
    version: textOr(component, 'version'),
    plainName: () => plainName(component, path),
    isSubject,
  });
}

function plainName(component: JsonObject, path: FieldPath): string {
  const group = textOr(component, 'group');
  const name = textIn(component, 'name', path);
  return group === undefined ? name : `${group}/${name}`;
}

/** `%40scope/name@1.0.0` without its version. */
function packageName(rest: string): string {
  const [, path = rest] = /^(.+)@[^/@]*$/.exec(rest) ?? [];
  return path.split('/').map(decoded).join('/');
}

function variant(qualifiers: string): string {
  const pairs = qualifiers.split('&').map((pair) => /^([^=]+)=(.+)$/.exec(pair));
  const kept = pairs
    .map((pair) => [pair?.[1]?.toLowerCase() ?? '', decoded(pair?.[2] ?? '')] as const)
    .filter(([name]) => name !== '' && !PLACES.has(name))
    .map(([name, value]) => `${name}=${value}`)
    .sort();
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A stray % is a character like any other.
    return segment;
  }
}
