import type { EntityKey } from '#graph/model';
import type { GraphEntities } from '../../run/graph-entities.port.ts';
import type { EntityDraft } from '../../run/step.ts';
import { imageOfUrl } from './bill-image.ts';
import { IMAGE, imageKey, parseImageName } from './container-image.ts';

const WITH_DIGEST = /(?:^|@)sha\d+:[0-9a-f]+$/;

/**
 * The images that this run and other sources state. Advisories and attestations name an image by its digest,
 * whichever repository it is in.
 */
export class KnownImages {
  readonly #byName = new Map<string, Set<string>>();

  /** `connectorId` is the source itself: what only an earlier run of it has stated may be gone. */
  constructor(graph: GraphEntities, connectorId: string, own: Iterable<EntityDraft>) {
    for (const { type, key, properties } of own) if (type === IMAGE) this.#add(key, properties?.['digest']);
    for (const entity of graph.ofType(IMAGE))
      if (entity.isStatedByOthers(connectorId)) this.#add(entity.key, entity.field('digest'));
  }

  /** The images that a package URL, a digest, or a name with a digest is about. */
  find(reference: string): readonly EntityKey[] {
    const names = namesIn(reference);
    const keys = new Set(names.flatMap((name) => [...(this.#byName.get(name) ?? [])]));
    return Array.from(keys, (key) => ({ type: IMAGE, key }));
  }

  #add(key: string, digest: unknown): void {
    for (const name of typeof digest === 'string' ? [key, digest] : [key]) {
      const keys = this.#byName.get(name) ?? new Set();
      this.#byName.set(name, keys.add(key));
    }
  }
}

/** Keys of images, and digests. */
function namesIn(reference: string): readonly string[] {
  const url = imageOfUrl(reference);
  const texts = url?.names ?? (WITH_DIGEST.test(reference) ? [reference] : []);
  const names = texts.flatMap((text) => parseImageName(text) ?? []);
  const digests = [url?.digest, ...names.map(({ digest }) => digest)].filter((each) => each !== undefined);
  return [...names.map((name) => imageKey(name).key), ...digests];
}
