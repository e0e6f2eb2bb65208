/**
 * Container images under the names that Docker and Kubernetes resolve, so that all sources have one key for
 * one image:
 *
 *     nginx:1.25                       container_image docker.io/library/nginx:1.25
 *     ghcr.io/acme/shop                container_image ghcr.io/acme/shop:latest
 *     nginx:1.25@sha256:ab…            container_image docker.io/library/nginx@sha256:ab…
 *     docker://sha256:cd…              container_image sha256:cd…
 *
 * A tag is a name that can be given to another image, a digest is the image itself: the entity of a tag
 * MAPS_TO that of its digest, from which the content hangs.
 */
import type { EntityKey, PropertyValue } from '#graph/model';
import type { EntityDraft, RelationshipDraft } from '../../run/step.ts';
import { fittingKey } from '../document/fitting-key.ts';

export interface ImageName {
  /** With its registry; undefined for a bare image id. */
  readonly repository: string | undefined;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** What a source knows of one image. */
export interface ImageRecords {
  /** The entity from which the content hangs: that of a digest if one is known. */
  readonly image: EntityKey;
  readonly entities: readonly EntityDraft[];
  readonly relationships: readonly RelationshipDraft[];
}

export const IMAGE = 'container_image';
const HUB = 'docker.io';
const DIGEST = /^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[0-9a-f]{32,}$/;
const REPOSITORY = /^[a-z0-9]+(?:[._:/-]+[a-z0-9]+)*$/;

/** Undefined for a text that names no image. */
export function parseImageName(text: string): ImageName | undefined {
  const reference = text.trim().replace(/^[a-z][a-z-]*:\/\//, '');
  if (DIGEST.test(reference)) return { repository: undefined, tag: undefined, digest: reference };
  const [name = '', digest] = reference.split('@', 2);
  const [, path = name, tag] = /^(.+):([\w][\w.-]{0,127})$/.exec(name) ?? [];
  const repository = withRegistry(path);
  if (!REPOSITORY.test(repository) || (digest !== undefined && !DIGEST.test(digest))) return undefined;
  return { repository, tag, digest };
}

/** A first part that is no host name belongs to the name in Docker's own registry. */
function withRegistry(path: string): string {
  const [first = '', ...rest] = path.split('/');
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  if (!isHost) return rest.length === 0 ? `${HUB}/library/${path}` : `${HUB}/${path}`;
  if (!/^(?:index\.|registry-1\.)?docker\.io$/.test(first)) return path;
  return rest.length === 1 ? `${HUB}/library/${rest[0]}` : [HUB, ...rest].join('/');
}

/** The digest decides, where there is one; without a tag it is `latest`. */
export function imageKey({ repository, tag, digest }: ImageName): EntityKey {
  if (repository === undefined) return { type: IMAGE, key: fittingKey(digest ?? '') };
  return { type: IMAGE, key: fittingKey(repository + (digest ? `@${digest}` : `:${tag ?? 'latest'}`)) };
}

/**
 * The image with these names (tags, digests, its id); undefined if none of them names an image. `facts`
 * belong to the entity from which the content hangs.
 */
export function imageRecords(
  texts: readonly string[],
  facts: Readonly<Record<string, PropertyValue | undefined>> = {},
): ImageRecords | undefined {
  const names = texts.flatMap((text) => parseImageName(text) ?? []).sort(byWeight);
  const [main] = names;
  if (main === undefined) return undefined;
  const image = imageKey(main);
  const named = new Map(names.map((name) => [imageKey(name).key, name]));
  const others = [...named.keys()].filter((key) => key !== image.key);
  return {
    image,
    entities: Array.from(named, ([key, name]) => entityOf(key, name, key === image.key ? facts : {})),
    relationships: others.map((key) => ({ from: { type: IMAGE, key }, verb: 'MAPS_TO', to: image })),
  };
}

/** Digests in a repository first, then bare ids, then tags, each in the order of their texts. */
function byWeight(a: ImageName, b: ImageName): number {
  const weight = ({ repository, digest }: ImageName): number =>
    repository === undefined ? 1 : digest === undefined ? 2 : 0;
  return weight(a) - weight(b) || (imageKey(a).key < imageKey(b).key ? -1 : 1);
}

function entityOf(
  key: string,
  { repository, tag, digest }: ImageName,
  facts: Readonly<Record<string, PropertyValue | undefined>>,
): EntityDraft {
  const version = tag ?? (digest === undefined ? 'latest' : undefined);
  return {
    type: IMAGE,
    key,
    class: 'Image',
    properties: { name: key, repository, tag: version, digest, ...facts },
  };
}
