/**
 * Package URLs, read as https://github.com/package-url/purl-spec prescribes: leniently, and normalised by the
 * rules of their type, so that all spellings of one package are equal.
 */

export interface PackageUrl {
  readonly type: string;
  /** Namespace and name, `debian/openssl`. */
  readonly name: string;
  readonly version: string | undefined;
  /** Qualifiers that distinguish packages of one version, by name: `?arch=arm64&distro=trixie`, or empty. */
  readonly variant: string;
  /** `#packages/a`, or empty. */
  readonly subpath: string;
}

/** Qualifiers that say where a package is, not which one it is. */
const PLACES: ReadonlySet<string> = new Set([
  'repository_url',
  'download_url',
  'vcs_url',
  'file_name',
  'checksum',
  'checksums',
]);

/** A type of package; its length is limited like that of a type of entities. */
const TYPE = /^[a-z][a-z0-9.+-]{0,99}$/;

const lower = (text: string): string => text.toLowerCase();
const namespaceLower = (text: string): string =>
  text.replace(/^.*\//, (namespace) => namespace.toLowerCase());

/** The types whose names are not case-sensitive, or have other spellings. */
const NAME_RULES: ReadonlyMap<string, (name: string) => string> = new Map([
  ...[
    'alpm',
    'apk',
    'bitbucket',
    'bitnami',
    'composer',
    'deb',
    'github',
    'golang',
    'hex',
    'luarocks',
    'npm',
    'oci',
    'pub',
    'vscode-extension',
  ].map((type) => [type, lower] as const),
  ['pypi', (name: string) => name.toLowerCase().replaceAll('_', '-')] as const,
  ['rpm', namespaceLower] as const,
  ['qpkg', namespaceLower] as const,
]);

/** Undefined for a text that is no package URL. */
export function parsePackageUrl(text: string): PackageUrl | undefined {
  const [, rest = '', query = '', fragment = ''] =
    /^pkg:\/*([^?#]+)(?:\?([^#]*))?(?:#(.*))?$/is.exec(text.trim()) ?? [];
  const [, type = '', path = ''] = /^([^/]+)\/+(.+?)\/*$/s.exec(rest) ?? [];
  const kind = type.toLowerCase();
  const { name, version } = split(path);
  if (!TYPE.test(kind) || name === '') return undefined;
  return {
    type: kind,
    name: normalName(kind, name),
    version: kind === 'huggingface' ? version?.toLowerCase() : version,
    variant: variantOf(query),
    subpath: subpathOf(fragment),
  };
}

/** The name of a package as package URLs of its type have it. */
export function normalName(type: string, name: string): string {
  return (NAME_RULES.get(type) ?? String)(name);
}

/** An `@` at the beginning of a segment is that of an npm scope. */
function split(path: string): { readonly name: string; readonly version: string | undefined } {
  const [, name = path, version = ''] = /^(.*[^/])@(.*)$/s.exec(path) ?? [];
  const segments = name.split('/').filter((segment) => segment !== '');
  return { name: segments.map(decoded).join('/'), version: decoded(version) || undefined };
}

function variantOf(query: string): string {
  const pairs = query.split('&').map((pair) => /^([^=]+)=(.+)$/s.exec(pair));
  const kept = pairs
    .map((pair) => [pair?.[1]?.toLowerCase() ?? '', decoded(pair?.[2] ?? '')] as const)
    .filter(([name]) => name !== '' && !PLACES.has(name))
    .map(([name, value]) => `${name}=${value}`)
    .sort();
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

function subpathOf(fragment: string): string {
  const segments = fragment.split('/').map(decoded);
  const kept = segments.filter((segment) => segment !== '' && segment !== '.' && segment !== '..');
  return kept.length === 0 ? '' : `#${kept.join('/')}`;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A stray % is an ordinary character.
    return segment;
  }
}
