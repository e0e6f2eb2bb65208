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
  const fromUrl = nameOfUrl(purl ?? '');
  const known = fromUrl === undefined ? stated : [fromUrl, ...stated];
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

/** `pkg:oci/shop@sha256:…?repository_url=ghcr.io/acme/shop`; that of Docker has the path in the name. */
function nameOfUrl(purl: string): string | undefined {
  const [, path, version, query] = IMAGE_URL.exec(purl) ?? [];
  if (path === undefined) return undefined;
  const qualifiers = new URLSearchParams(query);
  const place = qualifiers.get('repository_url');
  const isOci = /^pkg:oci/i.test(purl);
  // Without its repository, an image of the type oci could be any of that name.
  if (isOci && place === null) return undefined;
  const repository = isOci ? place : [place, path].filter((part) => part !== null).join('/');
  const name = decodeURIComponent(version ?? qualifiers.get('tag') ?? 'latest');
  return `${repository}${name.includes(':') ? '@' : ':'}${name}`;
}
