import { hash } from 'node:crypto';

const ACCOUNT = 'default';
const ID_HEX_LENGTH = 32;

/** First 128 bits of SHA-256 over the NUL-separated parts, as 32 hex digits. */
function idOf(parts: string): string {
  return hash('sha256', parts, 'hex').slice(0, ID_HEX_LENGTH);
}

/** The id of an entity: the same for the same type and key, for ever. */
export function entityId(type: string, key: string): string {
  return idOf(`${ACCOUNT}\0${type}\0${key}`);
}

/** The id of a relationship; the verb counts in upper case. `key` tells parallel relationships apart. */
export function relationshipId(fromId: string, verb: string, toId: string, key?: string): string {
  const base = `${ACCOUNT}\0${fromId}\0${verb.toUpperCase()}\0${toId}`;
  return idOf(key === undefined ? base : `${base}\0${key}`);
}
