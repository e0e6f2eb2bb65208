import type { Properties } from './property.ts';

/** What a source says of an entity; validated and complete (defaults filled in, properties flat). */
export interface EntityInput {
  readonly type: string;
  readonly key: string;
  readonly class: string;
  readonly displayName: string;
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
  readonly key?: string;
  readonly properties: Properties;
}

/** Something odd that is accepted all the same. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  /** Offset into the query text, where there is one. */
  readonly position?: number;
}

export type WarningCode =
  | 'UNKNOWN_CLASS'
  | 'UNKNOWN_VERB'
  | 'UNKNOWN_PROPERTY'
  | 'MIXED_AND_OR'
  | 'TYPE_MISMATCH'
  | 'DEPTH_LIMIT';
