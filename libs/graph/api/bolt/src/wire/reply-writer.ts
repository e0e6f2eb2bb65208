import type { PropertyGraph, Value } from '#graph/cypher';
import { classificationOf, type Failure, gqlStatusOf } from '../failure/failure.ts';
import { REPLY } from '../message/tags.ts';
import { Packer } from '../packstream/packer.ts';
import { ValuePacker } from '../value/value-packer.ts';
import { type BoltVersion, isAtLeast } from './handshake.ts';

/** Fields of a summary, in JavaScript's own types; numbers are integers. */
export interface Metadata {
  readonly [name: string]: MetadataValue;
}

export type MetadataValue = string | number | boolean | readonly MetadataValue[] | Metadata | undefined;

const CHUNK_BYTES_MAX = 0xffff;
const HEAD = Buffer.alloc(2);
const END = Buffer.alloc(2);

/** Replies, in chunks. They are collected until {@link taken}. */
export class ReplyWriter {
  readonly #packer = new Packer();
  readonly #version: BoltVersion;
  #values: ValuePacker;

  constructor(version: BoltVersion) {
    this.#version = version;
    const isNew = version.major >= 5;
    this.#values = new ValuePacker(this.#packer, { hasElementIds: isNew, isUtc: isNew });
  }

  /** In 4.4, for a client that asked for it: times with a zone are counted in UTC from now on. */
  useUtc(): void {
    this.#values = new ValuePacker(this.#packer, { hasElementIds: false, isUtc: true });
  }

  /** Bytes that wait to be taken. */
  get length(): number {
    return this.#packer.length;
  }

  /** The replies so far, as a copy. */
  taken(): Buffer {
    const bytes = Buffer.from(this.#packer.written);
    this.#packer.reset();
    return bytes;
  }

  success(metadata: Metadata = {}): void {
    this.#message(REPLY.success, () => this.#metadata(metadata));
  }

  ignored(): void {
    this.#message(REPLY.ignored, undefined);
  }

  failure({ code, message }: Failure): void {
    const { status, description } = gqlStatusOf(code);
    const metadata = isAtLeast(this.#version, GQL_SINCE)
      ? {
          neo4j_code: code,
          message,
          gql_status: status,
          description,
          diagnostic_record: { _classification: classificationOf(code) },
        }
      : { code, message };
    this.#message(REPLY.failure, () => this.#metadata(metadata));
  }

  record(row: readonly Value[], graph: PropertyGraph): void {
    this.#message(REPLY.record, () => this.#values.row(row, graph));
  }

  /** A record as {@link sendPacked} takes it, for later. */
  packed(row: readonly Value[], graph: PropertyGraph): Buffer {
    const start = this.#packer.length;
    this.record(row, graph);
    const bytes = Buffer.from(this.#packer.written.subarray(start));
    this.#packer.truncate();
    return bytes;
  }

  sendPacked(record: Buffer): void {
    this.#packer.begin();
    this.#packer.raw(record);
  }

  /** A message that fails on the way leaves nothing behind. */
  #message(tag: number, writeField: (() => void) | undefined): void {
    const packer = this.#packer;
    packer.begin();
    const start = packer.length;
    try {
      packer.raw(HEAD);
      packer.structHeader(tag, writeField === undefined ? 0 : 1);
      writeField?.();
    } catch (error) {
      packer.truncate();
      throw error;
    }
    const size = packer.length - start - HEAD.length;
    if (size <= CHUNK_BYTES_MAX) packer.written.writeUInt16BE(size, start);
    else this.#inChunks(start);
    packer.raw(END);
  }

  /** Writes the message again, with a head for each chunk. */
  #inChunks(start: number): void {
    const body = Buffer.from(this.#packer.written.subarray(start + HEAD.length));
    this.#packer.truncate();
    for (let at = 0; at < body.length; at += CHUNK_BYTES_MAX) {
      const chunk = body.subarray(at, at + CHUNK_BYTES_MAX);
      const head = Buffer.alloc(HEAD.length);
      head.writeUInt16BE(chunk.length);
      this.#packer.raw(head);
      this.#packer.raw(chunk);
    }
  }

  #metadata(value: MetadataValue): void {
    const packer = this.#packer;
    if (typeof value === 'string') packer.string(value);
    else if (typeof value === 'number') packer.integer(BigInt(value));
    else if (typeof value === 'boolean') packer.boolean(value);
    else if (value === undefined) packer.null();
    else if (isItems(value)) {
      packer.listHeader(value.length);
      for (const item of value) this.#metadata(item);
    } else {
      const entries = Object.entries(value).filter(([, each]) => each !== undefined);
      packer.mapHeader(entries.length);
      for (const [key, each] of entries) {
        packer.string(key);
        this.#metadata(each);
      }
    }
  }
}

/** The first version in which a failure has the status of GQL. */
const GQL_SINCE: BoltVersion = { major: 5, minor: 7 };

function isItems(value: readonly MetadataValue[] | Metadata): value is readonly MetadataValue[] {
  return Array.isArray(value);
}
