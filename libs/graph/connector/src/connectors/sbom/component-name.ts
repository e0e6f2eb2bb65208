/**
 * The type and key of a component, equal in all formats of bills and in lock files. With a package URL:
 *
 *     pkg:npm/%40scope/name@1.0                    npm_package @scope/name@1.0
 *     pkg:deb/debian/openssl@3.0?arch=arm64        deb_package debian/openssl@3.0?arch=arm64
 *     pkg:github/Acme/Mono@1#packages/a            github_package acme/mono@1#packages/a
 *
 * Without one, `component group/name@version`, with the kind of anything but a library: a container and the
 * application in it have one name.
 */
import type { PropertyValue } from '#graph/model';
import { normalName, type PackageUrl, parsePackageUrl } from './package-url.ts';
import { fittingKey } from '../document/fitting-key.ts';

export interface ComponentName {
  readonly type: string;
  readonly key: string;
  readonly name: string;
  readonly version: string | undefined;
  /** Whether the key is not the whole name. */
  readonly isCut: boolean;
}

/** The naming fields of a component. */
export interface ComponentIdentity {
  readonly purl?: string | undefined;
  readonly version?: string | undefined;
  /** The name with its group; used where there is no package URL. */
  readonly plainName: string | undefined;
  /** The type in CycloneDX's words: `library`, `container`, …. */
  readonly kind?: string | undefined;
  /** The subject of the bill: one entity for all its versions, unlike a component. */
  readonly isSubject: boolean;
}

/** Texts for unknown and none. */
const NOTHING: ReadonlySet<string> = new Set(['NONE', 'NOASSERTION']);
const PLAIN_KIND = 'library';

/** Undefined for a component without a name. */
export function componentName(identity: ComponentIdentity): ComponentName | undefined {
  const url = parsePackageUrl(identity.purl ?? '');
  return url === undefined ? plainComponent(identity) : packageOf(url, identity);
}

function packageOf(url: PackageUrl, { version: stated, isSubject }: ComponentIdentity): ComponentName {
  const { type, name, variant, subpath } = url;
  const version = url.version ?? said(stated);
  if (isSubject) return named(`${type}_project`, name, version, name + subpath);
  return named(`${type}_package`, name, version, name + atVersion(version) + variant + subpath);
}

function plainComponent(identity: ComponentIdentity): ComponentName | undefined {
  const { plainName: name, kind = PLAIN_KIND, isSubject } = identity;
  const version = said(identity.version);
  if (name === undefined) return undefined;
  if (isSubject) return named('project', name, version, name);
  const suffix = kind === PLAIN_KIND ? '' : `?kind=${kind}`;
  return named('component', name, version, name + atVersion(version) + suffix);
}

function atVersion(version: string | undefined): string {
  return version === undefined ? '' : `@${version}`;
}

function named(type: string, name: string, version: string | undefined, key: string): ComponentName {
  const fitting = fittingKey(key);
  return { type, name, version, key: fitting, isCut: fitting !== key };
}

/** The key of a package of an npm lock file, before it is cut. */
export function npmKey(name: string, version: string | undefined): string {
  return normalName('npm', name) + atVersion(version);
}

/** A text that says something. */
export function said(text: string | undefined): string | undefined {
  return text === undefined || NOTHING.has(text) ? undefined : text;
}

/** `SHA-256:…`, however the format writes the algorithm. */
export function hashText(algorithm: string, content: string): string {
  return `${algorithm.toUpperCase().replace(/^SHA(?=\d)/, 'SHA-')}:${content.toLowerCase()}`;
}

/** Returns the values as a property; undefined if there are none. */
export function listed(values: readonly string[]): PropertyValue | undefined {
  return values.length === 0 ? undefined : values;
}
