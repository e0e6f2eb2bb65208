import type { Properties } from './properties.ts';

/** What a source says of an entity; validated and complete (defaults filled in, properties flat). */
export interface EntityInput {
  readonly type: string;
  readonly key: string;
  readonly class: string;
  readonly displayName: string;
  readonly properties: Properties;
}

/**
 * What a source says of an entity, validated but perhaps incomplete. Without a class it is the PascalCase of
 * the type, without a display name the key; a patch leaves what it does not name as it was. Every {@link
 * EntityInput} is one.
 */
export interface EntityStatement {
  readonly type: string;
  readonly key: string;
  readonly class?: string | undefined;
  readonly displayName?: string | undefined;
  readonly properties: Properties;
}

/** Names an entity by its source's identifier. */
export interface EntityKey {
  readonly type: string;
  readonly key: string;
}

/** What a source says of a relationship; validated. `key` tells parallel relationships apart. */
export interface RelationshipInput {
  readonly from: EntityKey;
  readonly verb: string;
  readonly to: EntityKey;
  readonly key?: string | undefined;
  readonly properties: Properties;
}

/** Names a relationship by its two ends, verb and optional key. */
export type RelationshipKey = Omit<RelationshipInput, 'properties'>;

/** Something odd that is accepted all the same. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  /** Offset into the query text, where there is one. */
  readonly position?: number;
  /** For an unknown word: the known one that is spelt most like it; for a key, those, the nearest first. */
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
