/**
 * The record of an entity that was forgotten (docs/formats/records.md): its id and no content. It has the
 * names of the entity only until what is written about it elsewhere in the store is gone.
 */
import { DomainError } from '#platform/foundation';
import type { EntityNames } from '../erasure/erasure.ts';
import { keyParts, RECORD_KIND, textKey } from './record-key.ts';
import { RecordReader } from './record-reader.ts';
import { RecordWriter } from './record-writer.ts';

const FORMAT = 1;
const PENDING = 0;
const DONE = 1;

export const FORGOTTEN_PREFIX: Uint8Array = Uint8Array.of(RECORD_KIND.forgotten);

export interface ForgottenRecord {
  readonly atMs: number;
  /** Batches up to this one may hold the entity. */
  readonly seq: number;
  /** Whether files of the store, or the shared log, may still hold it. */
  readonly isPending: boolean;
  /** Set while documents, replies and sessions may still name it. */
  readonly names?: EntityNames | undefined;
}

export function forgottenKey(id: string): Uint8Array {
  return textKey(RECORD_KIND.forgotten, id);
}

export function forgottenId(key: Uint8Array): string {
  return keyParts(key)[0] ?? '';
}

export function encodeForgotten({ atMs, seq, isPending, names }: ForgottenRecord): Uint8Array {
  const state = isPending ? PENDING : DONE;
  const writer = new RecordWriter().u8(FORMAT).u8(state).f64(atMs).f64(seq);
  if (names !== undefined) writer.shortText(names.type).shortText(names.key).shortText(names.displayName);
  return writer.copy();
}

/** Throws STORE_TOO_NEW. */
export function decodeForgotten(value: Uint8Array): ForgottenRecord {
  const reader = new RecordReader(value);
  const format = reader.u8();
  if (format !== FORMAT)
    throw new DomainError('STORE_TOO_NEW', `forgotten record format ${String(format)} is not known`);
  const isPending = reader.u8() === PENDING;
  const record = { isPending, atMs: reader.f64(), seq: reader.f64() };
  if (reader.at === value.length) return record;
  const names = { type: reader.shortText(), key: reader.shortText(), displayName: reader.shortText() };
  return { ...record, names };
}
