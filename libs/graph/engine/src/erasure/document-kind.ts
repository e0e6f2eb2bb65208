/** What happens to the documents of other owners when an entity is forgotten (ADR 0579). */
import type { Erasure } from './erasure.ts';

/**
 * The documents of one owner. A program that forgets names all of them: documents of a kind that it does not
 * name can be neither written by it nor left in its store by a removal.
 */
export interface DocumentKind {
  readonly namespace: string;
  /** Of their ids. */
  readonly prefix: string;
  /** For people: `saved query`. */
  readonly noun: string;
  /**
   * The document without what the program has written about the entity; the same value if that is nothing;
   * undefined to remove it.
   */
  without(value: unknown, erasure: Erasure, id: string): unknown;
}

/** Documents that say nothing of single entities, or only what people wrote: that stays, and is named. */
export function keptDocuments(namespace: string, prefix: string, noun: string): DocumentKind {
  return { namespace, prefix, noun, without: (value) => value };
}

export function kindOf(
  kinds: readonly DocumentKind[],
  namespace: string,
  id: string,
): DocumentKind | undefined {
  return kinds.find((kind) => kind.namespace === namespace && id.startsWith(kind.prefix));
}
