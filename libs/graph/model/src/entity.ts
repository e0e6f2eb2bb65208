import { hash } from 'node:crypto';
import type { Properties } from './properties.ts';

/** The last writer of a record. */
export interface Source {
  readonly connector_id: string;
  readonly sync_id: string;
  /** RFC 3339 UTC, milliseconds. */
  readonly synced_at: string;
}

interface Stamped {
  readonly source: Source;
  /** When it was first seen. RFC 3339 UTC, milliseconds, like the three below. */
  readonly created_at: string;
  /** When its content last changed. */
  readonly updated_at: string;
  /** When any sync last saw it. */
  readonly last_seen_at: string;
  readonly deleted_at: string | null;
  /** Starts at 1; +1 on every content change. */
  readonly version: number;
}

/** An entity in replies; the fields are in this order, `labels` only if it has some. */
export interface Entity extends Stamped {
  /** 32 hex digits: {@link entityId} of type and key. */
  readonly id: string;
  readonly type: string;
  readonly class: string;
  readonly key: string;
  readonly display_name: string;
  /** Names in addition to type and class, sorted in UTF-16 order, each once. */
  readonly labels?: readonly string[];
  readonly properties: Properties;
}

/** One end of a relationship in a reply. */
export interface EndpointReference {
  readonly id: string;
  readonly type: string;
  readonly key: string;
}

/** A relationship in replies; the fields are in this order, `key` only if it has one. */
export interface Relationship extends Stamped {
  readonly id: string;
  readonly verb: string;
  readonly from: EndpointReference;
  readonly to: EndpointReference;
  readonly key?: string;
  readonly properties: Properties;
}

/** The target for the JSON of entities and relationships. */
export interface ByteSink {
  /** Copies `bytes[start, end)`. */
  writeBytes(bytes: Uint8Array, start: number, end: number): void;
  /** Writes text as UTF-8. */
  writeText(text: string): void;
}

const ACCOUNT = 'default';

const ID_HEX_LENGTH = 32;

/** First 128 bits of SHA-256 over the NUL-separated parts, as 32 hex digits. */
function idOf(parts: string): string {
  return hash('sha256', parts, 'hex').slice(0, ID_HEX_LENGTH);
}

/** The id of an entity, determined by type and key. */
export function entityId(type: string, key: string): string {
  return idOf(`${ACCOUNT}\0${type}\0${key}`);
}

/** The id of a relationship; the verb is hashed in upper case. `key` distinguishes parallel relationships. */
export function relationshipId(fromId: string, verb: string, toId: string, key?: string): string {
  const base = `${ACCOUNT}\0${fromId}\0${verb.toUpperCase()}\0${toId}`;
  return idOf(key === undefined ? base : `${base}\0${key}`);
}
