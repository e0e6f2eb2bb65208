/** What a bill of a container says about its image, so that it meets the image of other sources. */
export interface BillSubject {
  readonly purl: string | undefined;
  readonly name: string | undefined;
  readonly version: string | undefined;
  /** Names that the tool states apart. */
  readonly stated: readonly string[];
}

const IMAGE_URL = /^pkg:(?:oci|docker)\/([^@?#]+)(?:@([^?#]+))?(?:\?([^#]*))?/i;
const FILE = /^[./~]|\.(?:tar|tgz|tar\.gz|oci)$/i;

/** The names of the image; empty if the bill does not say which one it is. */
export function namesOfImage({ purl, name, version, stated }: BillSubject): readonly string[] {
  const known = [...(imageOfUrl(purl ?? '')?.names ?? []), ...stated];
  if (known.length > 0 || name === undefined || isImageFile(name)) return known;
  // Syft states the digest as the version.
  if (version?.includes(':') === true) return [`${name}@${version}`, name];
  const isTagged = /:[^/]+$/.test(name) || version === undefined;
  return [isTagged ? name : `${name}:${version}`];
}

/** Whether the name of a scanned image is that of a file. */
export function isImageFile(name: string): boolean {
  return FILE.test(name);
}

/** What a package URL says of an image. */
export interface ImageOfUrl {
  /** By digest, and by tag; empty without its repository: the image could be any of that name. */
  readonly names: readonly string[];
  readonly digest: string | undefined;
}

/**
 * `pkg:oci/shop@sha256:…?repository_url=ghcr.io/acme/shop`, or `…=ghcr.io/acme`, as some tools write; that of
 * Docker has the path in the name. Undefined for another package.
 */
export function imageOfUrl(purl: string): ImageOfUrl | undefined {
  const [, path, encoded, query] = IMAGE_URL.exec(purl) ?? [];
  if (path === undefined) return undefined;
  const qualifiers = new URLSearchParams(query);
  const version = encoded === undefined ? undefined : decoded(encoded);
  const digest = version?.includes(':') === true ? version : undefined;
  const tag = digest === undefined ? (version ?? qualifiers.get('tag')) : qualifiers.get('tag');
  const place = qualifiers.get('repository_url')?.replace(/\/+$/, '');
  const repository = repositoryOf(decoded(path), place, /^pkg:oci/i.test(purl));
  if (repository === undefined) return { names: [], digest };
  const names = [digest && `@${digest}`, tag && `:${tag}`].filter((part) => typeof part === 'string');
  return { names: names.map((name) => repository + name), digest };
}

function repositoryOf(path: string, place: string | undefined, isOci: boolean): string | undefined {
  if (place === undefined) return isOci ? undefined : path;
  const isWhole = isOci && place.toLowerCase().split('/').at(-1) === path.toLowerCase();
  return isWhole ? place : `${place}/${path}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray % is an ordinary character.
    return text;
  }
}
