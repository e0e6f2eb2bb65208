/**
 * The prefix of an entity or relationship record, before the content: its stamp and its owners.
 *
 *   0   u8    format, 1
 *   1   u32   length of the rest of the prefix
 *   5   f64   synced_at; then created_at, updated_at, last_seen_at, deleted_at (NaN: live), in ms
 *   45  u32   version
 *   49  text  connector, then sync id, each after its length (u16)
 *   …   u16   number of owners, then each as text
 */
import type { Stamp } from '#graph/memory';
import { DomainError } from '#platform/foundation';
import type { RecordReader } from './record-reader.ts';
import { RecordWriter } from './record-writer.ts';

const FORMAT = 1;
const LENGTH_AT = 1;
const BODY_AT = 5;
const DELETED_AT = 37;

export interface RecordPrefix {
  readonly stamp: Stamp;
  readonly owners: readonly string[];
}

/** Usual maximum number of owner lists that share a stamp in a batch. */
const OWNER_LISTS_MAX = 16;

/** Encodes prefixes; those of the last stamp are cached, since the records of a batch usually share it. */
export class PrefixEncoder {
  readonly #writer = new RecordWriter();
  #stamp: Stamp | undefined;
  readonly #byOwners = new Map<readonly string[], Uint8Array>();

  encode(stamp: Stamp, owners: readonly string[]): Uint8Array {
    if (stamp !== this.#stamp || this.#byOwners.size >= OWNER_LISTS_MAX) this.#byOwners.clear();
    this.#stamp = stamp;
    const known = this.#byOwners.get(owners);
    if (known !== undefined) return known;
    const into = writeStamp(this.#writer.reset().u8(FORMAT).u32(0), stamp);
    writeOwners(into, owners);
    const bytes = into.setU32(LENGTH_AT, into.length - BODY_AT).copy();
    this.#byOwners.set(owners, bytes);
    return bytes;
  }
}

/** Decodes prefixes; equal neighbours share one object, so that a million records share one stamp. */
export class PrefixDecoder {
  #bytes: Uint8Array = new Uint8Array(0);
  #prefix: RecordPrefix | undefined;

  decode(reader: RecordReader): RecordPrefix {
    const format = reader.u8();
    if (format !== FORMAT)
      throw new DomainError('STORE_TOO_NEW', `record format ${String(format)} is not known`);
    const length = reader.u32();
    const start = reader.at;
    const bytes = reader.bytes(length);
    if (this.#prefix !== undefined && Buffer.compare(bytes, this.#bytes) === 0) return this.#prefix;
    reader.at = start;
    this.#prefix = { stamp: readStamp(reader), owners: readOwners(reader) };
    this.#bytes = bytes.slice();
    return this.#prefix;
  }
}

/** A copy of a record's value with another time of deletion. */
export function setDeletedAt(value: Uint8Array, deletedAtMs: number): Uint8Array {
  const copy = Buffer.from(value);
  copy.writeDoubleLE(deletedAtMs, DELETED_AT);
  return copy;
}

export function writeOwners(into: RecordWriter, owners: readonly string[]): void {
  into.u16(owners.length);
  for (const owner of owners) into.shortText(owner);
}

/** Frozen, so that memory interns each list once. */
export function readOwners(reader: RecordReader): readonly string[] {
  return Object.freeze(Array.from({ length: reader.u16() }, () => reader.shortText()));
}

function writeStamp(into: RecordWriter, stamp: Stamp): RecordWriter {
  into.f64(stamp.syncedAtMs).f64(stamp.createdAtMs).f64(stamp.updatedAtMs).f64(stamp.lastSeenAtMs);
  into.f64(stamp.deletedAtMs ?? Number.NaN).u32(stamp.version);
  return into.shortText(stamp.connectorId).shortText(stamp.syncId);
}

function readStamp(reader: RecordReader): Stamp {
  const syncedAtMs = reader.f64();
  const createdAtMs = reader.f64();
  const updatedAtMs = reader.f64();
  const lastSeenAtMs = reader.f64();
  const deletedAtMs = reader.f64();
  const version = reader.u32();
  const connectorId = reader.shortText();
  const syncId = reader.shortText();
  return {
    connectorId,
    syncId,
    syncedAtMs,
    createdAtMs,
    updatedAtMs,
    lastSeenAtMs,
    deletedAtMs: Number.isNaN(deletedAtMs) ? null : deletedAtMs,
    version,
  };
}
