/** Keys of new records: what names an entity of the store is chosen when its node is created. */
import { randomBytes } from 'node:crypto';
import { entityId, MODEL_LIMITS, relationshipId } from '#graph/model';
import type { Value } from '../value/value.ts';

export interface NewName {
  readonly key: string;
  readonly elementId: string;
}

/** The value of `id` where it can be a key that no other entity of the type has, else a unique one. */
export function newNodeName(
  type: string,
  id: Value | undefined,
  isTaken: (elementId: string) => boolean,
): NewName {
  const wanted = keyOfValue(id);
  if (wanted !== undefined) {
    const elementId = entityId(type, wanted);
    if (!isTaken(elementId)) return { key: wanted, elementId };
  }
  const key = uuidV7(Date.now());
  return { key, elementId: entityId(type, key) };
}

/** A key only where the ends have a relationship of this type already. */
export function newLinkName(
  { from, type, to }: { readonly from: string; readonly type: string; readonly to: string },
  isTaken: (elementId: string) => boolean,
): { readonly key: string | undefined; readonly elementId: string } {
  const plain = relationshipId(from, type, to);
  if (!isTaken(plain)) return { key: undefined, elementId: plain };
  const key = uuidV7(Date.now());
  return { key, elementId: relationshipId(from, type, to, key) };
}

function keyOfValue(id: Value | undefined): string | undefined {
  if (typeof id === 'bigint') return String(id);
  if (typeof id !== 'string' || id === '' || id.includes('\0') || !id.isWellFormed()) return undefined;
  return Buffer.byteLength(id, 'utf8') <= MODEL_LIMITS.keyBytesMax ? id : undefined;
}

/** RFC 9562: the time, then random bits, so that keys made later come later. */
function uuidV7(nowMs: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
