import type { Properties } from './properties.ts';
import type { PropertyKinds } from './stored-kind.ts';

/** A source's statement about an entity; validated and complete (defaults filled in, properties flat). */
export interface EntityInput {
  readonly type: string;
  readonly key: string;
  readonly class: string;
  readonly displayName: string;
  /** Further names, sorted, each once; undefined if there are none. */
  readonly labels?: readonly string[] | undefined;
  readonly properties: Properties;
  readonly kinds?: PropertyKinds | undefined;
}

/**
 * A source's statement about an entity, validated but possibly incomplete. The class defaults to the
 * PascalCase of the type, the display name to the key; a patch leaves missing fields unchanged. Every {@link
 * EntityInput} is one.
 */
export interface EntityStatement {
  readonly type: string;
  readonly key: string;
  readonly class?: string | undefined;
  readonly displayName?: string | undefined;
  /** All of its labels as far as this source states them, sorted, each once. */
  readonly labels?: readonly string[] | undefined;
  readonly properties: Properties;
  readonly kinds?: PropertyKinds | undefined;
}

/** Names an entity by its source's identifier. */
export interface EntityKey {
  readonly type: string;
  readonly key: string;
}

/** A source's statement about a relationship; validated. `key` distinguishes parallel relationships. */
export interface RelationshipInput {
  readonly from: EntityKey;
  readonly verb: string;
  readonly to: EntityKey;
  readonly key?: string | undefined;
  readonly properties: Properties;
  readonly kinds?: PropertyKinds | undefined;
}

/** Identifies a relationship by its ends, verb and optional key. */
export type RelationshipKey = Omit<RelationshipInput, 'properties' | 'kinds'>;

/** A suspicious but accepted input. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  /** Offset in the query text, if any. */
  readonly position?: number;
  /** The known name most similar to an unknown one; of a key, similar keys, most similar first. */
  readonly nearest?: string | readonly string[];
}

export type WarningCode =
  | 'DANGLING_RELATIONSHIP'
  | 'SYNC_WOULD_DELETE_TOO_MUCH'
  | 'UNKNOWN_CLASS'
  | 'UNKNOWN_VERB'
  | 'UNKNOWN_PROPERTY'
  | 'UNKNOWN_KEY'
  | 'MIXED_AND_OR'
  | 'TYPE_MISMATCH'
  | 'DEPTH_LIMIT';

/**
 * The relationships of one verb at one end of one entity, of which the source has some that it could not
 * name. Those that a sync does not state are kept; nothing else is.
 */
export interface PartialRelationships extends EntityKey {
  readonly verb: string;
  /** The end of the relationships at which the entity is. */
  readonly end: RelationshipEnd;
}

export type RelationshipEnd = 'from' | 'to';

/**
 * Entities of one type in a part of the source that a sync could not read, such as the tables of a database.
 * Those that the sync does not state are kept, with their relationships.
 */
export interface UnreadEntities {
  /** `*` for any type. */
  readonly type: string;
  /** Empty for any key. */
  readonly keyPrefix: string;
}

export function isUnread({ type, key }: EntityKey, unread: readonly UnreadEntities[] = []): boolean {
  return unread.some((part) => (part.type === type || part.type === '*') && key.startsWith(part.keyPrefix));
}
