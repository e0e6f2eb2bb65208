/**
 * The type and key of a component: the same as those of a lock file's package.
 *
 *     pkg:npm/%40scope/name@1.0                    npm_package @scope/name@1.0
 *     pkg:deb/debian/openssl@3.0?arch=arm64        deb_package debian/openssl@3.0?arch=arm64
 *
 * Qualifiers distinguish packages of the same version, so they are part of the key, in alphabetical order,
 * except those of the location. See https://github.com/package-url/purl-spec.
 */
import type { FieldPath, JsonObject } from '#graph/model';
import { textIn, textOr } from '../json-text.ts';

export interface ComponentName {
  readonly type: string;
  readonly key: string;
  readonly name: string;
}

/** The naming fields of a component. */
export interface ComponentIdentity {
  readonly purl: string | undefined;
  readonly version: string | undefined;
  /** Used without a package URL. */
  readonly plainName: () => string;
  /** The subject of the bill: one entity for all its versions, unlike a component. */
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

/** The name of a CycloneDX component. */
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
    // A stray % is an ordinary character.
    return segment;
  }
}
