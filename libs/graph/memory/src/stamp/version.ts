import type { EntityInput, Properties, PropertyKinds } from '#graph/model';
import type { HeadBytes } from '../head/head-window.ts';

/**
 * The time and source of a record's last write. Times are in ms since the epoch, rendered as `source`,
 * `created_at`, …
 */
export interface Stamp {
  readonly connectorId: string;
  readonly syncId: string;
  readonly syncedAtMs: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly lastSeenAtMs: number;
  /** Null while the record is live. */
  readonly deletedAtMs: number | null;
  readonly version: number;
}

/** The fields changed by a touch: all except the content. */
export interface Sighting {
  readonly stamp: Stamp;
  /** Connector ids. */
  readonly owners: readonly string[];
}

export interface EntityVersion extends Sighting {
  readonly id: string;
  /** {@link encodeEntityHead} of `input`; copied. */
  readonly head: Uint8Array;
  /** Kept by reference until the next seal: must not be changed. Null to decode it from the head. */
  readonly input: EntityInput | null;
}

export interface RelationshipVersion extends Sighting {
  readonly id: string;
  /** Node numbers. */
  readonly from: number;
  readonly to: number;
  /** The verb as written. */
  readonly verb: string;
  readonly key?: string | undefined;
  /** {@link encodeProperties} of the properties; copied. */
  readonly propertiesJson: Uint8Array;
}

/** The latest version of an entity, tombstones included. */
export interface EntityState extends Sighting {
  readonly type: string;
  readonly key: string;
  readonly class: string;
  readonly displayName: string;
  readonly labels: readonly string[] | undefined;
  readonly isDeleted: boolean;
  /** Decoded at each call. */
  properties(): Properties;
  /** The kinds of properties that JSON does not tell. */
  kinds(): PropertyKinds | undefined;
  /** The JSON head: a copy. */
  head(): Uint8Array;
  /** The same where it is, without a copy: read-only, valid until another head is read. */
  readHead(): HeadBytes;
}

/** The latest version of a relationship, tombstones included. */
export interface RelationshipState extends Sighting {
  readonly from: number;
  readonly to: number;
  readonly verb: string;
  readonly key: string | undefined;
  readonly isDeleted: boolean;
  properties(): Properties;
  kinds(): PropertyKinds | undefined;
  /** The properties as stored bytes: a read-only view. */
  propertiesJson(): Uint8Array;
}
