/**
 * Records of the history (docs/formats/records.md): how far it goes, when and by whom each batch was written,
 * and what it has replaced.
 */
import { DomainError } from '#platform/foundation';
import { RECORD_KIND } from './record-key.ts';
import { RecordReader } from './record-reader.ts';
import { RecordWriter } from './record-writer.ts';

const TIME = 0x74;
const VALUES = 0x76;
const FORMAT = 1;
const WORD = 2 ** 32;
const SEQ_AT = 2;

/** Part of every batch with history: its own sequence number is that of the last batch in the history. */
export const HORIZON_KEY: Uint8Array = Uint8Array.of(RECORD_KIND.history);
export const TIME_PREFIX: Uint8Array = Uint8Array.of(RECORD_KIND.history, TIME);
export const VALUES_PREFIX: Uint8Array = Uint8Array.of(RECORD_KIND.history, VALUES);

/** The beginning of the history. */
export interface Horizon {
  /** The earliest state that can be read is that after this batch. */
  readonly first: number;
  /** Since when that was the state, as far as is known. */
  readonly sinceMs: number;
}

/** What a record was before a batch: `seen` if only its stamp or owners have changed. */
export type FormerKind = 'none' | 'live' | 'deleted' | 'seen';

export interface FormerRecord {
  /** The key of the entity or relationship record. */
  readonly key: Uint8Array;
  readonly was: FormerKind;
  /** Whether the batch has deleted the record. */
  readonly isDeletion: boolean;
  /** As in the record; of `seen` its prefix, of `none` nothing. */
  readonly value: Uint8Array;
}

/** The name of a record that was forgotten. */
export interface ForgottenName {
  readonly record: 'entity' | 'relationship';
  readonly id: string;
}

/** What is left of the former record of a forgotten entity: earlier versions pass over it. */
export function erasedRecord(name?: ForgottenName): FormerRecord {
  const text = name === undefined ? '' : (name.record === 'entity' ? 'E' : 'R') + name.id;
  return { key: NOTHING, was: 'seen', isDeletion: false, value: Buffer.from(text, 'latin1') };
}

/** Undefined for any other record, and for one that was not deleted by its batch. */
export function forgottenName({ key, was, value }: FormerRecord): ForgottenName | undefined {
  if (key.length > 0 || was !== 'seen' || value.length === 0) return undefined;
  const text = Buffer.from(value).toString('latin1');
  return { record: text.startsWith('E') ? 'entity' : 'relationship', id: text.slice(1) };
}

const NOTHING = new Uint8Array(0);

/** A part of a batch, from 0. */
export interface PartPlace {
  readonly seq: number;
  readonly part: number;
}

export interface HistoryPart extends PartPlace {
  readonly atMs: number;
  readonly records: readonly FormerRecord[];
}

const KINDS: readonly FormerKind[] = ['none', 'live', 'deleted', 'seen'];
const KIND_BITS = 0x0f;
const DELETION = 0x10;
/** The value is that of the record before. */
const REPEATED = 0x20;

export function encodeHorizon({ first, sinceMs }: Horizon): Uint8Array {
  return new RecordWriter().u8(FORMAT).f64(first).f64(sinceMs).copy();
}

export function decodeHorizon(value: Uint8Array): Horizon {
  const reader = opened(value);
  return { first: reader.f64(), sinceMs: reader.f64() };
}

export function timeKey(seq: number): Uint8Array {
  return seqKey(TIME, seq, SEQ_AT + 8);
}

/** When a batch was written, and by whom, if that is known: the name of a key or of a person. */
export interface BatchStamp {
  readonly atMs: number;
  readonly who?: string | undefined;
}

export function encodeTime({ atMs, who = '' }: BatchStamp): Uint8Array {
  return new RecordWriter().f64(atMs).bytes(Buffer.from(who, 'utf8')).copy();
}

/** Earlier versions have noted the time alone. */
export function decodeTime(value: Uint8Array): BatchStamp {
  const reader = new RecordReader(value);
  const atMs = reader.f64();
  const who = Buffer.from(reader.rest()).toString('utf8');
  return { atMs, ...(who !== '' && { who }) };
}

export function valuesKey(seq: number, part: number): Uint8Array {
  const key = seqKey(VALUES, seq, SEQ_AT + 12);
  key.writeUInt32BE(part, SEQ_AT + 8);
  return key;
}

/** The batch of a record of times or values. */
export function seqOf(key: Uint8Array): number {
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength);
  return bytes.readUInt32BE(SEQ_AT) * WORD + bytes.readUInt32BE(SEQ_AT + 4);
}

function partOf(key: Uint8Array): number {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).readUInt32BE(SEQ_AT + 8);
}

/** Collects former records of one batch into a part. */
export class PartWriter {
  readonly #writer = new RecordWriter();
  /** The value that the next record may repeat: at first it is empty. */
  #last: Uint8Array | undefined;
  #isEmpty = true;
  /** Where the value of an open record begins. */
  #valueAt = 0;

  constructor(atMs: number) {
    this.begin(atMs);
  }

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  get length(): number {
    return this.#writer.length;
  }

  begin(atMs: number): void {
    this.#writer.reset().u8(FORMAT).f64(atMs);
    this.#last = NOTHING;
    this.#isEmpty = true;
  }

  /** `value` must not change until the next {@link begin}, if it may be repeated. */
  add({ key, was, isDeletion, value }: FormerRecord): void {
    this.#add(key, KINDS.indexOf(was) | (isDeletion ? DELETION : 0), value);
    this.#last = was === 'seen' || was === 'none' ? value : undefined;
  }

  /** A record that was not there. *Hot path* of ingest: one after another takes its key and 3 bytes. */
  addNew(key: Uint8Array): void {
    this.#add(key, 0, NOTHING);
    this.#last = NOTHING;
  }

  /** Begins a record with content, whose value the caller writes before it calls {@link close}. */
  open(key: Uint8Array, wasDeleted: boolean, isDeletion: boolean): RecordWriter {
    const kind = KINDS.indexOf(wasDeleted ? 'deleted' : 'live');
    const into = this.#head(kind | (isDeletion ? DELETION : 0), key).u32(0);
    this.#valueAt = into.length;
    return into;
  }

  close(): void {
    this.#writer.setU32(this.#valueAt - 4, this.#writer.length - this.#valueAt);
    this.#last = undefined;
    this.#isEmpty = false;
  }

  #add(key: Uint8Array, flags: number, value: Uint8Array): void {
    const last = this.#last;
    const isRepeated = last === value || (last !== undefined && Buffer.compare(last, value) === 0);
    this.#head(isRepeated ? flags | REPEATED : flags, key);
    if (!isRepeated) this.#writer.u32(value.length).bytes(value);
    this.#isEmpty = false;
  }

  #head(flags: number, key: Uint8Array): RecordWriter {
    return this.#writer.u8(flags).u16(key.length).bytes(key);
  }

  /** The part: a view, valid until the next change. */
  view(): Uint8Array {
    return this.#writer.view();
  }
}

/** Throws STORE_TOO_NEW, and STORE_CORRUPT for a part that ends early. */
export function decodePart(key: Uint8Array, value: Uint8Array): HistoryPart {
  const reader = opened(value);
  const atMs = reader.f64();
  const records: FormerRecord[] = [];
  let last: Uint8Array = NOTHING;
  while (reader.at < value.length) {
    const flags = reader.u8();
    const was = KINDS[flags & KIND_BITS];
    if (was === undefined)
      throw new DomainError('STORE_CORRUPT', `no former state ${String(flags)} is known`);
    const recordKey = reader.bytes(reader.u16());
    if ((flags & REPEATED) === 0) last = reader.bytes(reader.u32());
    records.push({ key: recordKey, was, isDeletion: (flags & DELETION) !== 0, value: last });
  }
  return { seq: seqOf(key), part: partOf(key), atMs, records };
}

function opened(value: Uint8Array): RecordReader {
  const reader = new RecordReader(value);
  const format = reader.u8();
  if (format === FORMAT) return reader;
  throw new DomainError('STORE_TOO_NEW', `history format ${String(format)} is not known`);
}

function seqKey(kind: number, seq: number, length: number): Buffer {
  const key = Buffer.alloc(length);
  key[0] = RECORD_KIND.history;
  key[1] = kind;
  key.writeUInt32BE(Math.floor(seq / WORD), SEQ_AT);
  key.writeUInt32BE(seq % WORD, SEQ_AT + 4);
  return key;
}
