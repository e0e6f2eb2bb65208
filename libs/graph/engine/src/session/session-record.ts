/**
 * Records of sessions. The session: JSON of {@link Session}. A batch: 16 bytes of the content's SHA-256, u32
 * entities, u32 relationships, then `{"entities":[…],"relationships":[…]}` as JSON.
 */
import { hash } from 'node:crypto';
import type { SessionState } from '../request/replies.ts';
import type { SessionBatch, SyncMode } from '../request/requests.ts';
import { ByteReader } from '../record/byte-reader.ts';
import { ByteWriter } from '../record/byte-writer.ts';
import { keyParts, RECORD_KIND, textKey } from '../record/record-key.ts';

const DIGEST_BYTES = 16;
const NUMBER_DIGITS = 8;

export interface Session {
  readonly id: string;
  readonly connectorId: string;
  readonly syncId: string;
  readonly mode: SyncMode;
  readonly partialTypes: readonly string[];
  readonly priority?: number | undefined;
  readonly state: SessionState;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** What is known of a batch without its content. */
export interface BatchFacts {
  readonly number: number;
  readonly digest: string;
  readonly entities: number;
  readonly relationships: number;
}

export function sessionKey(id: string): Uint8Array {
  return textKey(RECORD_KIND.session, id);
}

export function batchKey(id: string, number: number): Uint8Array {
  return textKey(RECORD_KIND.session, id, String(number).padStart(NUMBER_DIGITS, '0'));
}

/** What all batches of a session begin with. */
export function batchPrefix(id: string): Uint8Array {
  return textKey(RECORD_KIND.session, id, '');
}

export function readSessionKey(key: Uint8Array): {
  readonly id: string;
  readonly number: number | undefined;
} {
  const [id = '', number] = keyParts(key);
  return { id, number: number === undefined ? undefined : Number(number) };
}

export function encodeSession(session: Session): Uint8Array {
  return Buffer.from(JSON.stringify(session), 'utf8');
}

export function decodeSession(value: Uint8Array): Session {
  return JSON.parse(Buffer.from(value).toString('utf8')) as Session;
}

export function encodeBatch(batch: SessionBatch): Uint8Array {
  const { entities, relationships } = batch;
  const json = JSON.stringify({ entities, relationships });
  const digest = hash('sha256', json, 'buffer').subarray(0, DIGEST_BYTES);
  return new ByteWriter().bytes(digest).u32(entities.length).u32(relationships.length).text(json).copy();
}

export function readBatchFacts(number: number, value: Uint8Array): BatchFacts {
  const reader = new ByteReader(value);
  const digest = Buffer.from(reader.bytes(DIGEST_BYTES)).toString('hex');
  return { number, digest, entities: reader.u32(), relationships: reader.u32() };
}

export function decodeBatch(value: Uint8Array): SessionBatch {
  const json = value.subarray(DIGEST_BYTES + 2 * Uint32Array.BYTES_PER_ELEMENT);
  return JSON.parse(Buffer.from(json).toString('utf8')) as SessionBatch;
}
